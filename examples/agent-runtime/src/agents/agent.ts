import type { StagedOutcome, WorkManifest } from '../api.ts';

/** A file that an agent delivers. Other tasks ask for it by its `kind`. */
export interface Delivery {
  readonly kind: string;
  readonly name: string;
  readonly mediaType: 'text/markdown' | 'application/json';
  readonly text: string;
}

/** What the runtime gives an agent for one run. Every method may throw when the run has ended. */
export interface Work {
  readonly manifest: WorkManifest;
  /** Paths of the task's inputs, relative to the workspace. */
  readonly inputs: readonly string[];
  read(path: string): Promise<string>;
  /** Paths of the files below a folder, sorted. */
  list(folder: string): Promise<string[]>;
  /**
   * Does a step once per task, not once per run: stores its result with a checkpoint, so that a run after a crash gets
   * the result back instead of doing the step again.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>;
  /** The file of this kind that a prerequisite or a child delivered; undefined if there is none. */
  delivered(kind: string): Promise<string | undefined>;
  /** Stages an outcome that only the agent may decide, such as a plan. */
  stage(outcome: StagedOutcome): Promise<void>;
}

export type Finished =
  | { readonly kind: 'completed'; readonly summary: string; readonly deliveries: readonly Delivery[] }
  /** Tells that the staged outcome is the result. */
  | { readonly kind: 'planned'; readonly summary: string };

export type Agent = (work: Work) => Promise<Finished>;

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
