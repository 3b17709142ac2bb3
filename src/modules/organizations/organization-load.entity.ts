import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Organization } from './organization.entity.ts';

/**
 * The row that whatever decides about an organization's capacity locks: a start of a run, a stop of work dispatch, the
 * deletion. Narrow and apart from the organization's own row, which every reference holds shared. Live runs are counted
 * from their leases, never kept here.
 */
const schema = defineEntity({
  name: 'OrganizationLoad',
  tableName: 'organization_load',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    /** How many runs may be live at once. */
    maxLiveRuns: p.integer().default(10),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class OrganizationLoad extends schema.class {}
schema.setClass(OrganizationLoad);
