import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Organization } from '../organizations/index.ts';

/** The row by which moves of an organization's discovery take turns. */
const schema = defineEntity({
  name: 'Discovery',
  tableName: 'discovery',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    /** When an owner said that the integrations are set up, which releases the departments. */
    integrationSetupCompletedAt: timestamp().nullable(),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class Discovery extends schema.class {}
schema.setClass(Discovery);
