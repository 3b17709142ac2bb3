import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { integrationOwned } from '../integration-owned.ts';
import type { ExcludedTool, ListedTool, ServerIdentity } from '../provider-adapters.port.ts';

/** The tools as the provider listed them last; those of fixed entries come from the catalog and have no row. */
const schema = defineEntity({
  name: 'IntegrationInventory',
  tableName: 'integration_inventory',
  properties: {
    ...integrationOwned,
    tools: p.json<ListedTool[]>(),
    excluded: p.json<ExcludedTool[]>(),
    server: p.json<ServerIdentity>().nullable(),
    listedAt: timestamp(),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class IntegrationInventory extends schema.class {}
schema.setClass(IntegrationInventory);
