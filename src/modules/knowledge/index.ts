/** What an organization knows: findings bound to evidence, and material that its owners brought in. Written in statements. */
export { EvidenceService } from './evidence.service.ts';
export { KnowledgeMaterialService, type MaterialRecord } from './knowledge-material.service.ts';
export { KnowledgePassage } from './knowledge-passage.entity.ts';
export { Knowledge } from './knowledge.entity.ts';
export { KnowledgeModule } from './knowledge.module.ts';
export { recordOfTree } from './knowledge.queries.ts';
export { materialKeyOf } from './knowledge.state.ts';
export { wordsDigestOf } from './words/record-words.ts';
