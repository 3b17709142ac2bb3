import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { organizationOwned } from '../organizations/index.ts';
import {
  ACCESS_MODES,
  type Health,
  INTEGRATION_ORIGINS,
  type McpMemory,
  type OperatingContext,
  type Selection,
  type VerifiedResource,
} from './integration.state.ts';

/** One connector of an organization: what its owners chose, and what was seen of it. Its secrets lie in another table. */
const schema = defineEntity({
  name: 'Integration',
  tableName: 'integration',
  properties: {
    ...organizationOwned,
    key: p.text().collation('C'),
    /** The entry of the catalog, or `mcp` for an owner's own server. */
    kind: p.text(),
    origin: p.enum(INTEGRATION_ORIGINS).columnType('text'),
    /** The version of the entry that the row has been moved to; null without an entry. */
    entryVersion: p.integer().nullable(),
    name: p.text(),
    description: p.text().default(''),
    /** Of an owner's own server; path and query may be a secret. */
    endpoint: p.text().nullable(),
    purposes: p.array().columnType('text[]').$type<string[]>(),
    /** The owner's switch. */
    enabled: p.boolean().default(false),
    accessMode: p.enum(ACCESS_MODES).columnType('text'),
    /** Null while nothing was ever chosen. */
    selection: p.json<Selection>().nullable(),
    /** Tools that an owner wants reviewed, beside those that their definitions demand. */
    reviewRequired: p.array().columnType('text[]').$type<string[]>(),
    settings: p.json<Record<string, unknown>>().nullable(),
    context: p.json<OperatingContext>().nullable(),
    health: p.json<Health>().nullable(),
    mcp: p.json<McpMemory>().nullable(),
    /** Scopes that a server asked for beyond those granted; the next authorization asks for them. */
    requiredScopes: p.array().columnType('text[]').$type<string[]>(),
    /** The generation whose settings were verified live. */
    verifiedFor: p.text().nullable(),
    verifiedResources: p.json<VerifiedResource[]>().nullable(),
    /** When the tools are to be listed again; null where nobody lists them. */
    inventoryDueAt: timestamp().nullable(),
    /** Failed listings in a row, which put off the next one. */
    inventoryFailures: p.integer().default(0),
    /** Until then a check is under way. */
    checkUntil: timestamp().nullable(),
    contextRevision: p.integer().default(1),
    credentialGeneration: p.integer().default(0),
    settingsRevision: p.integer().default(0),
    toolsRevision: p.integer().default(0),
    grantsRevision: p.integer().default(0),
    collectionGeneration: p.integer().default(0),
    ...timestamps,
  },
  uniques: [{ name: 'integration_key', properties: ['organization', 'key'] }],
  indexes: [
    {
      name: 'integration_inventory_due',
      expression:
        'create index integration_inventory_due on integration (inventory_due_at) where inventory_due_at is not null',
    },
  ],
  checks: [
    {
      name: 'integration_origin_parts',
      expression: `(origin = 'owner') = (entry_version is null) and (origin = 'catalog' or endpoint is not null)`,
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Integration extends schema.class {}
schema.setClass(Integration);
