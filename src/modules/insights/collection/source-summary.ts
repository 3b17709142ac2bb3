import type { Reporting } from '../definitions/index.ts';
import { NOTHING_YET, type SourceCoverage } from '../sources/source-coverage.ts';
import type { ReadRow } from './collection.queries.ts';

/** What all reads of a source cover together: whole once each has its days, and its history. */
export function coverageOfSource(reads: readonly ReadRow[], reporting: Reporting | null): SourceCoverage {
  const read = reads.filter(({ progress }) => progress.to !== null);
  if (read.length === 0) return { ...NOTHING_YET, reporting };
  const isWhole = reads.every(({ progress }) => progress.to !== null && progress.backfilled);
  return {
    status: isWhole ? 'complete' : 'partial',
    reason: isWhole ? null : 'collecting',
    from: read.map(({ progress }) => progress.from!).toSorted()[0]!,
    to: read
      .map(({ progress }) => progress.to!)
      .toSorted()
      .at(-1)!,
    // The last day runs.
    provisional: true,
    reporting,
  };
}
