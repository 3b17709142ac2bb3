/** Agent profiles and the catalog of templates that they are made from. */
export { AgentProfileConfigDto, AgentProfileDto } from './agent-profile.dto.ts';
export { AgentProfile } from './agent-profile.entity.ts';
export { PROFILE_LIVE_RUN_LIMIT } from './agent-profile.state.ts';
export { AgentProfileProvisioningService } from './agent-profile-provisioning.service.ts';
export { AgentProfilesModule } from './agent-profiles.module.ts';
export { ClaimFiltersService } from './claim-filters.service.ts';
export { type CatalogEdition, standingOf } from './catalog.ts';
export { readCatalogFolder } from './catalogs/catalog-folder.ts';
export { currentCatalog } from './catalogs/catalog.queries.ts';
export { CatalogErrors } from './catalogs/catalog.errors.ts';
export { CatalogRevision } from './catalogs/catalog-revision.entity.ts';
export { ProfileCapacity } from './profile-capacity.entity.ts';
export { type ProfileFollower, ProfileRemoved } from './profile-removed.port.ts';
export { pinnedProfile } from './pinned-profile.queries.ts';
export { toPinnedProfile } from './pinned-profile.ts';
