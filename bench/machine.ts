import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

/** Ticks of `/proc`; every Linux that Node runs on has 100. */
const TICK_MS = 10;
const SAMPLE_MS = 250;
/** Below this share of the machine it counts as quiet. */
const QUIET = 0.1;

/** Milliseconds of CPU that the whole machine has spent working; undefined where there is no `/proc`. */
function busyMs(): number | undefined {
  try {
    const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
      .split('\n')[0]!
      .split(/\s+/);
    return [user, nice, system, irq, softirq, steal].reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  } catch {
    return undefined;
  }
}

/** What others do with the machine while the bench itself does nothing: the share of all cores, from 0 to 1. */
async function background(): Promise<number | undefined> {
  const [before, startedAt] = [busyMs(), performance.now()];
  await wait(SAMPLE_MS);
  const after = busyMs();
  if (before === undefined || after === undefined) return undefined;
  return (after - before) / ((performance.now() - startedAt) * availableParallelism());
}

/** Waits for a quiet moment, but not for ever, and answers how quiet it was. */
export async function quietMoment(limitMs: number): Promise<number | undefined> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const share = await background();
    if (share === undefined || share < QUIET || performance.now() > deadline) return share;
  }
}

interface Process {
  readonly parent: number;
  /** With the time of children that have ended. */
  readonly allMs: number;
}

function processOf(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; field 4 of `proc(5)` is the first number behind it.
    const fields = text
      .slice(text.lastIndexOf(')') + 4)
      .split(' ')
      .map(Number);
    return { parent: fields[0]!, allMs: (fields[10]! + fields[11]! + fields[12]! + fields[13]!) * TICK_MS };
  } catch {
    return undefined;
  }
}

/** Milliseconds of CPU of a process and its children, also of those that have ended. */
export function cpuMs(pid: number): number {
  let sum = processOf(pid)?.allMs ?? Number.NaN;
  for (const name of readdirSync('/proc')) {
    const child = /^\d+$/.test(name) ? processOf(Number(name)) : undefined;
    if (child?.parent === pid) sum += child.allMs;
  }
  return sum;
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
