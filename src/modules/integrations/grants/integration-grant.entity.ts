import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { integrationOwned } from '../integration-owned.ts';

/** A profile that may use a connector. By id, because the key of a profile that was removed is free again. */
const schema = defineEntity({
  name: 'IntegrationGrant',
  tableName: 'integration_grant',
  properties: {
    ...integrationOwned,
    agentProfileId: p.uuid().primary(),
    readOnly: p.boolean(),
  },
  indexes: [
    {
      name: 'integration_grant_of_profile',
      expression: 'create index integration_grant_of_profile on integration_grant (organization_id, agent_profile_id)',
    },
  ],
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class IntegrationGrant extends schema.class {}
schema.setClass(IntegrationGrant);
