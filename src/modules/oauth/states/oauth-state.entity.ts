import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { ACCESS_MODES } from '../../integrations/index.ts';
import type { AuthorizationServer } from '../authorization-server.ts';
import { CALLBACKS, OAUTH_STATE_STATUSES, PROTOCOLS } from '../oauth.state.ts';

/**
 * One authorization of a connector, from its start to its end. Part of the global directory: a callback names its state and
 * no organization, so its row is found by functions alone.
 */
const schema = defineEntity({
  name: 'OAuthState',
  tableName: 'oauth_state',
  properties: {
    /** SHA-256 in hexadecimal digits of the state, or of issuer and request token in OAuth 1.0a. */
    stateHash: p.text().primary(),
    organizationId: p.uuid(),
    integrationId: p.uuid(),
    /** Who started it, as `OwnerPrincipal` has them. */
    subject: p.text(),
    subjectName: p.text(),
    callback: p.enum(CALLBACKS).columnType('text'),
    /** Of this deployment; the row is another's where it differs. */
    redirectUri: p.text(),
    protocol: p.enum(PROTOCOLS).columnType('text'),
    status: p.enum(OAUTH_STATE_STATUSES).columnType('text').default('issued'),
    issuer: p.text(),
    /** Of the integration at the start: the result is stored only if no other credential came meanwhile. */
    credentialGeneration: p.integer(),
    scopes: p.array().columnType('text[]').$type<string[]>(),
    resource: p.text().nullable(),
    accessMode: p.enum(ACCESS_MODES).columnType('text').nullable(),
    enabledTools: p.array().columnType('text[]').$type<string[]>().nullable(),
    services: p.array().columnType('text[]').$type<string[]>().nullable(),
    /** The metadata and the client in use, without secrets. */
    server: p.json<AuthorizationServer>(),
    /** Of the browser that started it; null where it was no browser of this origin, so that the result is to be confirmed. */
    cookieHash: p.text().nullable(),
    /** Of the state of its own that a callback of OAuth 1.0a carries beside the token. */
    ownHash: p.text().nullable(),
    /** Of the button's token, once. */
    confirmHash: p.text().nullable(),
    expiresAt: timestamp(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
    /** Null once it is over. */
    keyId: p.text().nullable(),
    wrappedKey: p.blob().columnType('bytea').nullable(),
    sealed: p.blob().columnType('bytea').nullable(),
  },
  uniques: [{ name: 'oauth_state_confirm', properties: ['confirmHash'], where: 'confirm_hash is not null' }],
  indexes: [
    { name: 'oauth_state_of_integration', properties: ['organizationId', 'integrationId'] },
    { name: 'oauth_state_expiry', properties: ['expiresAt'] },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class OAuthState extends schema.class {}
schema.setClass(OAuthState);
