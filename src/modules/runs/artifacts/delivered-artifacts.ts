import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import type { ArtifactDto } from '../../tasks/index.ts';
import { storedSizes } from './run-artifacts.queries.ts';

/** Whether artifacts of a result name bytes that its run stored. */
export function namesBytes(result: object): boolean {
  return digestsOf(result).length > 0;
}

function digestsOf(result: object): string[] {
  return artifactsOf(result).flatMap(({ sha256 }) => sha256 ?? []);
}

function artifactsOf(result: object): readonly ArtifactDto[] {
  return (result as { artifacts?: readonly ArtifactDto[] }).artifacts ?? [];
}

/**
 * A result whose artifacts name only bytes that its run stored, with the size of those; 400 where one names others.
 * `completePlainRuns` does the same in its own statement.
 */
export async function withStoredSizes<Result extends object>(tx: Tx, runId: string, result: Result): Promise<Result> {
  const digests = digestsOf(result);
  if (digests.length === 0) return result;
  const stored = await tx.rows(storedSizes(tx.organizationId, runId, digests));
  const sizes = new Map(stored.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]));
  const artifacts = artifactsOf(result);
  const issues = artifacts.flatMap(({ sha256 }, index): Issue[] => {
    if (sha256 === undefined || sizes.has(sha256)) return [];
    const message = 'names no bytes that this run stored: store them first';
    return [issueAt(`output.result.artifacts.${index}.sha256`, EdgeIssues.unknownReference, message)];
  });
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  const sized = artifacts.map((artifact) => withSize(artifact, sizes));
  return { ...result, artifacts: sized };
}

function withSize(artifact: ArtifactDto, sizes: ReadonlyMap<string, number>): ArtifactDto {
  const sizeBytes = artifact.sha256 === undefined ? artifact.sizeBytes : sizes.get(artifact.sha256);
  return { ...artifact, sizeBytes };
}
