import { cpus, totalmem } from 'node:os';
import type { Metric } from './scenario.ts';
import { judge, median, type Sample, summarize, type Summary, type Verdict } from './stats.ts';

export interface Row extends Summary {
  /** The number in the table of goals, with a letter where it has several metrics. */
  readonly key: string;
  readonly scenario: string;
  readonly metric: Metric;
  /** Ratio or value, as the metric is judged. */
  readonly figure: number;
  readonly verdict: Verdict;
  /** Share of the machine that others used meanwhile. */
  readonly background: number;
  readonly failures: readonly string[];
}

export function toRow(
  key: string,
  scenario: string,
  metric: Metric,
  samples: readonly Sample[],
  { background, failures }: { background: readonly number[]; failures: readonly string[] },
): Row {
  const summary = summarize(samples);
  const figure = summary.ratio ?? (metric.baseline === null ? summary.value : Number.NaN);
  const verdict = judge(figure, metric);
  return { key, scenario, metric, ...summary, figure, verdict, background: median(background), failures };
}

/** A gate of the quick mode. */
export interface Gate {
  readonly name: string;
  readonly value: number | string;
  readonly limit: number | string;
  readonly ok: boolean;
}

const COLUMNS = [
  '#',
  'scenario',
  'value',
  'baseline',
  'ratio',
  'spread',
  'CPU ratio',
  'floor',
  'goal',
  'stretch',
  'result',
  'others',
];

export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ key, scenario, metric, value, baseline, ratio, spread, cpuRatio, verdict, background }) => [
    key,
    `${scenario}: ${metric.name}`,
    `${number(value)} ${metric.unit}`,
    baseline === undefined ? '' : number(baseline),
    ratio === undefined ? '' : number(ratio),
    spread.every(Number.isFinite) ? spread.map(number).join(' to ') : '',
    cpuRatio === undefined ? '' : number(cpuRatio),
    number(metric.floor),
    number(metric.goal),
    metric.stretch === null ? '' : number(metric.stretch),
    verdict,
    Number.isFinite(background) ? `${Math.round(background * 100)} %` : '?',
  ]);
  return aligned([COLUMNS, ...lines]);
}

export function gateTable(gates: readonly Gate[]): string {
  const lines = gates.map(({ name, value, limit, ok }) => [
    name,
    typeof value === 'number' ? number(value) : value,
    typeof limit === 'number' ? number(limit) : limit,
    ok ? 'ok' : 'FAILED',
  ]);
  return aligned([['gate', 'value', 'limit', 'result'], ...lines]);
}

export function machine(): { readonly cores: number; readonly memoryGb: number; readonly node: string } {
  return { cores: cpus().length, memoryGb: Math.round(totalmem() / 2 ** 30), node: process.version };
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Three digits that say something. */
function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}
