export { Activity } from './activity.entity.ts';
export { Membership } from './membership.entity.ts';
export { organizationOwned } from './organization-owned.ts';
export { Organization } from './organization.entity.ts';
export { OrganizationSlug } from './organization-slug.entity.ts';
export { OwnerToken } from './owner-token.entity.ts';
export { DEPARTMENTS, type Department } from './organization.state.ts';
