/** What concerns runs and chat turns alike: the manifest of an execution, and what a worker gives back after a restart. */
export { ExecutionsModule } from './executions.module.ts';
export { type ContextFinder, ManifestContext } from './manifest-context.port.ts';
export { ContextEntryDto } from './manifest/manifest-knowledge.dto.ts';
export { ManifestIntegrationDto } from './manifest/manifest-connector.dto.ts';
export { type ManifestExtras, type ManifestPart, ManifestParts } from './manifest-parts.port.ts';
