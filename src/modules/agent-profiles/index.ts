export { AgentProfile } from './agent-profile.entity.ts';
export { CatalogRevision } from './catalog-revision.entity.ts';
