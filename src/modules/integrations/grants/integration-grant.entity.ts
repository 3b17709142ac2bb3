import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Integration } from '../integration.entity.ts';

/** A profile that may use a connector. By id, because the key of a profile that was removed is free again. */
const schema = defineEntity({
  name: 'IntegrationGrant',
  tableName: 'integration_grant',
  properties: {
    integration: () =>
      p
        .manyToOne(Integration)
        .primary()
        .joinColumns('organization_id', 'integration_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    integrationId: p.uuid().persist(false),
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
