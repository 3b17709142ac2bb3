import type { SourceWarningCode } from './onboarding.state.ts';

export interface SourceWarning {
  readonly code: SourceWarningCode;
  readonly message: string;
}

/** What the review found in the bytes of a source. */
export interface SourceResult {
  readonly foundMediaType: string | null;
  readonly characters: number;
  readonly pages: number | null;
  readonly truncated: boolean;
  readonly warnings: readonly SourceWarning[];
  /** The beginning of its text; null where it has none. */
  readonly finding: string | null;
}
