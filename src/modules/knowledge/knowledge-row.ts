import type { KnowledgeDetailDto, KnowledgeDto } from './knowledge.dto.ts';
import type { KnowledgeDetailRow, KnowledgeRow } from './knowledge.queries.ts';

export function toKnowledge({ id, origin, freshness, supersededBy, ...metadata }: KnowledgeRow): KnowledgeDto {
  return { id, metadata: { ...metadata, evidence: [...metadata.evidence] }, origin, freshness, supersededBy };
}

export function toKnowledgeDetail(row: KnowledgeDetailRow): KnowledgeDetailDto {
  const { procedure, supersedes, revocationReason, revokedBy, revokedAt, ...shown } = row;
  const revocation = revocationReason === null ? null : { reason: revocationReason, by: revokedBy!, at: revokedAt! };
  return { ...toKnowledge(shown), procedure, supersedes, revocation };
}
