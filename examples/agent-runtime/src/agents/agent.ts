import type { StagedOutcome, WorkManifest } from '../api.ts';

/** A file that an agent hands in. `kind` is what other tasks ask for. */
export interface Delivery {
  readonly kind: string;
  readonly name: string;
  readonly mediaType: 'text/markdown' | 'application/json';
  readonly text: string;
}

/** What the runtime gives an agent for one run. Everything here may throw when the run is over. */
export interface Work {
  readonly manifest: WorkManifest;
  /** Paths of the task's inputs, relative to the workspace. */
  readonly inputs: readonly string[];
  read(path: string): Promise<string>;
  /** Paths of the files below a folder, sorted. */
  list(folder: string): Promise<string[]>;
  /**
   * Does a step once per task, not once per run: its result is stored with a checkpoint, and a run that comes after a
   * crash gets it back instead of doing the step again.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>;
  /** What a prerequisite or a child delivered under this kind; undefined when it delivered nothing of it. */
  delivered(kind: string): Promise<string | undefined>;
  /** Stages an outcome that only the agent may decide, a plan for one. */
  stage(outcome: StagedOutcome): Promise<void>;
}

export type Finished =
  | { readonly kind: 'completed'; readonly summary: string; readonly deliveries: readonly Delivery[] }
  /** The staged outcome counts; this only says so. */
  | { readonly kind: 'planned'; readonly summary: string };

export type Agent = (work: Work) => Promise<Finished>;

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
