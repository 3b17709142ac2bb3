import type { CoverageReason, CoverageStatus, Reporting } from '../definitions/index.ts';

/** What a source as a whole covers, as the list of sources tells it. */
export interface SourceCoverage {
  readonly status: CoverageStatus;
  readonly reason: CoverageReason | null;
  /** The first day that was read, and the day after the last; null where nothing was. */
  readonly from: string | null;
  readonly to: string | null;
  readonly provisional: boolean;
  readonly reporting: Reporting | null;
}

/** Of a source of which nothing was read yet. */
export const NOTHING_YET: SourceCoverage = {
  status: 'none',
  reason: 'collecting',
  from: null,
  to: null,
  provisional: true,
  reporting: null,
};
