/** The middle of the values; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the share `q` of the values lies, interpolated; NaN of none. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * q;
  const below = Math.floor(at);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (at - below);
}

/** Milliseconds of CPU an operation on both sides, and the database's part of each. */
export interface CpuSides {
  readonly value: number;
  readonly baseline: number;
  readonly database?: { readonly value: number; readonly baseline: number };
}

/** One round: what was measured and, where there is one, the baseline of the same round. */
export interface Sample {
  readonly value: number;
  readonly baseline?: number;
  /** Milliseconds of CPU an operation, of both sides: what others do with the machine hardly moves it. */
  readonly cpu?: CpuSides;
}

export interface Summary {
  readonly value: number;
  readonly baseline: number | undefined;
  /** Of the rounds' own ratios, so that what disturbs both sides of a round cancels out; undefined without a baseline. */
  readonly ratio: number | undefined;
  /** Lowest and highest of what is judged: ratios, or values where there is no baseline. */
  readonly spread: readonly [number, number];
  readonly rounds: number;
  /** Ratio of the CPU that an operation costs. */
  readonly cpuRatio: number | undefined;
  /** The two sides of that ratio, in milliseconds. */
  readonly cpu: CpuSides | undefined;
}

/** Rounds in which a side has no figure do not count. */
export function summarize(samples: readonly Sample[]): Summary {
  const usable = samples.filter(
    ({ value, baseline }) =>
      Number.isFinite(value) && (baseline === undefined || (Number.isFinite(baseline) && baseline > 0)),
  );
  const baselines = usable.flatMap(({ baseline }) => (baseline === undefined ? [] : [baseline]));
  const values = usable.map(({ value }) => value);
  const ratios = usable.flatMap(({ value, baseline }) => (baseline === undefined ? [] : [value / baseline]));
  const cpus = samples.flatMap(({ cpu }) => (cpu && Number.isFinite(cpu.value) && cpu.baseline > 0 ? [cpu] : []));
  const databases = cpus.flatMap(({ database }) => (database ? [database] : []));
  const judged = ratios.length > 0 ? ratios : values;
  return {
    value: median(values),
    baseline: baselines.length > 0 ? median(baselines) : undefined,
    ratio: ratios.length > 0 ? median(ratios) : undefined,
    spread: [Math.min(...judged), Math.max(...judged)],
    rounds: usable.length,
    cpuRatio: cpus.length > 0 ? median(cpus.map((cpu) => cpu.value / cpu.baseline)) : undefined,
    cpu:
      cpus.length > 0 ? { ...sides(cpus), ...(databases.length > 0 ? { database: sides(databases) } : {}) } : undefined,
  };
}

function sides(list: readonly { readonly value: number; readonly baseline: number }[]) {
  return { value: median(list.map(({ value }) => value)), baseline: median(list.map(({ baseline }) => baseline)) };
}

export interface Bounds {
  readonly better: 'higher' | 'lower';
  readonly floor: number;
  readonly goal: number;
  readonly stretch: number | null;
}

export type Verdict = 'stretch' | 'goal' | 'floor' | 'MISSED' | 'not measured';

/** How far a figure gets. */
export function judge(figure: number, { better, floor, goal, stretch }: Bounds): Verdict {
  if (!Number.isFinite(figure)) return 'not measured';
  const reaches = (bound: number) => (better === 'higher' ? figure >= bound : figure <= bound);
  if (stretch !== null && reaches(stretch)) return 'stretch';
  if (reaches(goal)) return 'goal';
  return reaches(floor) ? 'floor' : 'MISSED';
}
