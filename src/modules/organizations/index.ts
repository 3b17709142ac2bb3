/** Organizations and who owns them: members, owner tokens, activity, work dispatch. */
export { Activity } from './activity/activity.entity.ts';
export { ActivityCluster } from './events/activity-cluster.entity.ts';
export { ActivitySubscription } from './activity/activity-subscription.entity.ts';
export {
  type Actor,
  actorColumns,
  type EntriesOfRows,
  type HeardEntry,
  insertActivity,
  insertHeard,
} from './activity/activity-entry.queries.ts';
export { ActivityLogService } from './activity/activity-log.service.ts';
export type { ActivityVerb } from './activity/activity-verb.ts';
export { type DomainEvent, logEvent, logEvents } from './activity/domain-event.ts';
export { type DispatchStop, dispatchStopsSince } from './work-dispatch/dispatch-stops.ts';
export { ConstraintsChanged, type ConstraintsFollower } from './constraints-changed.port.ts';
export { type DepartmentFollower, DepartmentSwitch } from './department-switch.port.ts';
export { memberOf } from './members/members.queries.ts';
export { Membership } from './members/membership.entity.ts';
export {
  ConstraintsDto,
  CreateOrganizationDto,
  CreateOrganizationShellDto,
  DepartmentsDto,
  LimitsDto,
  OrganizationDto,
  OrganizationParams,
  type OrganizationRow,
  toOrganization,
} from './organization.dto.ts';
export { OrganizationErrors, OrganizationIssues } from './organization.errors.ts';
export { lockOrganizationRow, organizationById } from './organizations.queries.ts';
export { OrganizationIcon } from './icon/organization-icon.entity.ts';
export { Organization } from './organization.entity.ts';
export { LIVE_RUN_LIMIT, normalizeCurrency, normalizeDetails, normalizeTimezone } from './organization.policy.ts';
export { DEPARTMENTS, type Department, type Risk, RISKS, storageRoot } from './organization.state.ts';
export { organizationOwned } from './organization-owned.ts';
export { OrganizationCapacity } from './organization-capacity.entity.ts';
export { lockOrganization } from './organization-lock.ts';
export { OrganizationSignalsService } from './organization-signals.service.ts';
export { OrganizationSlug } from './organization-slug.entity.ts';
export { OrganizationsModule } from './organizations.module.ts';
export { OrganizationsService } from './organizations.service.ts';
export { OwnerToken } from './owner-tokens/owner-token.entity.ts';
export { type WorkHolder, WorkInFlight } from './work-dispatch/work-in-flight.port.ts';
export { type PermissionFollower, WorkPermitted } from './work-dispatch/work-permitted.port.ts';
