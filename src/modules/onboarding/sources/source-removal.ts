import type { Statement } from '../../../kernel/database/index.ts';
import { deleteSource, type HeldSource, onboardingUploads } from './sources.queries.ts';

/** What takes a source away, with a note of its bytes, which go after the commit. */
export function removalOfSource(
  organizationId: string,
  { sourceId, uploadId }: HeldSource,
): readonly [Statement, Statement, Statement] {
  return [deleteSource({ organizationId, sourceId }), ...onboardingUploads.release({ organizationId, id: uploadId })];
}
