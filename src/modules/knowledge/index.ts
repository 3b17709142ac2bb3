/** What an organization knows: findings bound to evidence, and material that its owners brought in. Written in statements. */
export { type ConnectorStanding, ConnectorStandings } from './connector-standings.port.ts';
export { EvidenceDto } from './evidence.dto.ts';
export { EvidenceService } from './evidence.service.ts';
export {
  KnowledgeMaterialService,
  MATERIAL_BATCH,
  type MaterialRecord,
  type MaterialTexts,
} from './knowledge-material.service.ts';
export { KnowledgePassage } from './knowledge-passage.entity.ts';
export { Knowledge } from './knowledge.entity.ts';
export { KnowledgeIssues } from './knowledge.errors.ts';
export { KnowledgeModule } from './knowledge.module.ts';
export { recordOfTree } from './knowledge.queries.ts';
