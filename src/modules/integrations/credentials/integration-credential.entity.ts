import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { integrationOwned } from '../integration-owned.ts';
import { CREDENTIAL_KINDS, CREDENTIAL_PURPOSES, CREDENTIAL_STATES } from '../integration.state.ts';

/**
 * What a provider was given, sealed, and what is known of it. Another credential is another row, of a higher generation; a
 * token that is refreshed stays the same credential.
 */
const schema = defineEntity({
  name: 'IntegrationCredential',
  tableName: 'integration_credential',
  properties: {
    ...integrationOwned,
    purpose: p.enum(CREDENTIAL_PURPOSES).columnType('text').primary(),
    /** The integration's `credential_generation`, of a reporting credential its `collection_generation`. */
    generation: p.integer().primary(),
    kind: p.enum(CREDENTIAL_KINDS).columnType('text'),
    state: p.enum(CREDENTIAL_STATES).columnType('text'),
    /** The account at the provider: another one clears the settings. */
    identity: p.text().nullable(),
    /** The account as a person knows it. */
    label: p.text().nullable(),
    /** What the projection shows of it, without secrets. */
    details: p.json<Record<string, unknown>>(),
    scopes: p.array().columnType('text[]').$type<string[]>(),
    issuer: p.text().nullable(),
    /** What tokens are for, letter for letter as the metadata has it. */
    resource: p.text().nullable(),
    /** Rises with each refresh. */
    tokenVersion: p.integer().default(1),
    accessExpiresAt: timestamp().nullable(),
    refreshedAt: timestamp().nullable(),
    /** Who refreshes now, and until when nobody else does. */
    refreshClaim: p.uuid().nullable(),
    refreshClaimUntil: timestamp().nullable(),
    refreshFailures: p.integer().default(0),
    nextRefreshAt: timestamp().nullable(),
    connectedAt: timestamp(),
    keyId: p.text(),
    wrappedKey: p.blob().columnType('bytea'),
    sealed: p.blob().columnType('bytea'),
  },
  uniques: [{ name: 'integration_credential_one', properties: ['integration', 'purpose'] }],
  indexes: [
    {
      name: 'integration_credential_refreshed',
      expression: `create index integration_credential_refreshed on integration_credential (refreshed_at) where kind = 'oauth2' and state = 'connected'`,
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class IntegrationCredential extends schema.class {}
schema.setClass(IntegrationCredential);
