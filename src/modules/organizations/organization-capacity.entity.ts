import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Organization } from './organization.entity.ts';
import { LIVE_RUN_LIMIT } from './organization.policy.ts';

/**
 * How many runs of an organization may be live at once. Starting a run, stopping work dispatch and deleting the organization
 * lock this row: it is narrow, and apart from the organization's own row, which every reference holds shared. Live runs are
 * counted from their leases, never kept here.
 */
const schema = defineEntity({
  name: 'OrganizationCapacity',
  tableName: 'organization_capacity',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    /** How many runs may be live at once. */
    maxLiveRuns: p.integer().default(LIVE_RUN_LIMIT.default),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class OrganizationCapacity extends schema.class {}
schema.setClass(OrganizationCapacity);
