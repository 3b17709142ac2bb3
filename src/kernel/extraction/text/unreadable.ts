import type { WarningCode } from './warning-codes.ts';

/** Ends the reading of a source that cannot be read. */
export class UnreadableError extends Error {
  constructor(
    readonly code: Extract<WarningCode, 'encrypted' | 'damaged' | 'no_text' | 'too_complex'>,
    detail: string,
  ) {
    super(detail);
    this.name = 'UnreadableError';
  }
}
