import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { EdgeIssues, type Issue, issueAt } from '../../kernel/errors/index.ts';
import { type ArtifactReader, citedArtifacts, RunIssues } from '../runs/index.ts';
import type { EvidenceDto } from './evidence.dto.ts';

/** Says whether evidence is what it claims to be. */
@Injectable()
export class EvidenceService {
  /**
   * What is wrong with evidence that an execution names, at `path.0`, `path.1` and so on. The runs are locked, so that
   * their bytes stay until the commit. What does not exist and what the execution may not read is one finding.
   */
  async issuesOf(tx: Tx, execution: ArtifactReader, evidence: readonly EvidenceDto[], path: string): Promise<Issue[]> {
    if (evidence.length === 0) return [];
    const cited = await tx.rows(citedArtifacts(execution, evidence));
    const byPlace = new Map(cited.map((row) => [row.place, row]));
    return evidence.flatMap((each, index): Issue[] => {
      const found = byPlace.get(index + 1);
      if (!found)
        return [issueAt(`${path}.${index}`, EdgeIssues.unknownReference, 'names no bytes of a run that you may read')];
      if (found.paths && !found.paths.includes(each.path))
        return [issueAt(`${path}.${index}.path`, RunIssues.pathMismatch)];
      return [];
    });
  }
}
