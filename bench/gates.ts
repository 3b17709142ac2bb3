import type { Gate, Row } from './report.ts';

/** What noise hardly moves: ratios of CPU and slopes of growth, with room for the machine; never a rate. */
const CPU_LIMITS: Readonly<Record<string, number>> = {
  '6 tasks': 6,
  '6 runs': 6,
  '6 run-requests': 6,
  '6 agent-profiles': 6,
  '6 chats': 6,
  '6 messages': 6,
  '8': 6,
  '1b': 8,
  '9 tasks': 2.5,
  '9 chats': 2.5,
  '9 messages': 2.5,
  '10': 3,
};
const FIGURE_LIMITS: Readonly<Record<string, number>> = { '16': 0.4, '19b': 12 };

/** The gates of the quick mode that its measurements answer. */
export function gatesOf(rows: readonly Row[]): Gate[] {
  return rows.flatMap(({ key, scenario, cpuRatio, figure }): Gate[] => {
    const gates: Gate[] = [];
    const [cpu, value] = [CPU_LIMITS[key], FIGURE_LIMITS[key]];
    if (cpu !== undefined && cpuRatio !== undefined)
      gates.push({ name: `${scenario}: CPU ÷ baseline`, value: cpuRatio, limit: cpu, ok: cpuRatio <= cpu });
    if (value !== undefined) gates.push({ name: scenario, value: figure, limit: value, ok: figure <= value });
    return gates;
  });
}
