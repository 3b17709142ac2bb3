import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { CLIENT_AUTH_METHODS } from '../authorization-server.ts';

/** What an organization's connectors are called at one issuer, which the service registered there. */
const schema = defineEntity({
  name: 'OAuthClient',
  tableName: 'oauth_client',
  properties: {
    ...organizationOwned,
    issuer: p.text(),
    redirectUri: p.text(),
    clientId: p.text(),
    authMethod: p.enum(CLIENT_AUTH_METHODS).columnType('text'),
    /** Null where it does not. */
    secretExpiresAt: timestamp().nullable(),
    /** When a token endpoint did not know it any more. */
    rejectedAt: timestamp().nullable(),
    /** Starts in a row whose browsers never came back: a server shows only to people that it has forgotten a client. */
    unanswered: p.integer().default(0),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
    keyId: p.text(),
    wrappedKey: p.blob().columnType('bytea'),
    sealed: p.blob().columnType('bytea'),
  },
  uniques: [{ name: 'oauth_client_of_issuer', properties: ['organization', 'issuer', 'redirectUri'] }],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class OAuthClient extends schema.class {}
schema.setClass(OAuthClient);
