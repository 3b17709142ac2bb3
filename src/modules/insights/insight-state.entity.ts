import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Organization } from '../organizations/index.ts';

/** Where an organization's figures stand: readers pin its revision first, and publications move it under its lock. */
const schema = defineEntity({
  name: 'InsightState',
  tableName: 'insight_state',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    publicationRevision: p.integer().default(0),
    definitionsRevision: p.integer().default(0),
    /** Of the definitions that the organization was moved to; null before the first time. */
    catalogHash: p.text().nullable(),
    /** The organization's, as the definitions were moved to it. */
    timezone: p.text().nullable(),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class InsightState extends schema.class {}
schema.setClass(InsightState);
