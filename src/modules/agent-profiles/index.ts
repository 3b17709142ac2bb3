/** Agent profiles and the catalog of templates that they are made from. */
export { AgentProfileConfigDto, AgentProfileDto } from './agent-profile.dto.ts';
export { AgentProfile } from './agent-profile.entity.ts';
export { AgentProfileProvisioning } from './agent-profile-provisioning.ts';
export { AgentProfilesModule } from './agent-profiles.module.ts';
export { CatalogErrors } from './catalog.errors.ts';
export { CatalogRevision } from './catalog-revision.entity.ts';
export { ProfileLoad } from './profile-load.entity.ts';
export { type ProfileFollower, ProfileRemoved } from './profile-removed.ts';
export { type PinnedProfileRow, pinnedProfile, toPinnedProfile } from './pinned-profile.ts';
