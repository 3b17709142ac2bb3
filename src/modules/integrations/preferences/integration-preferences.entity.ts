import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Organization } from '../../organizations/index.ts';

/** Which connector of a purpose comes first, and how far the catalog has been taken over. One row an organization. */
const schema = defineEntity({
  name: 'IntegrationPreferences',
  tableName: 'integration_preferences',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    revision: p.integer().default(1),
    /** By purpose the keys of all connectors that were ever usable, the preferred one first. */
    order: p.json<Record<string, string[]>>(),
    /** The version of the whole catalog that the organization's rows have been moved to. */
    catalogVersion: p.integer(),
  },
  indexes: [
    {
      name: 'integration_preferences_catalog',
      expression:
        'create index integration_preferences_catalog on integration_preferences (catalog_version, organization_id)',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class IntegrationPreferences extends schema.class {}
schema.setClass(IntegrationPreferences);
