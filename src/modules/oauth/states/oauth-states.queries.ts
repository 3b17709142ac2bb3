import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { SealedSecret } from '../../../kernel/secrets/index.ts';
import type { AccessMode } from '../../integrations/index.ts';
import type { AuthorizationServer } from '../authorization-server.ts';
import { OAUTH } from '../oauth.policy.ts';
import type { Callback, OAuthStateStatus, Protocol } from '../oauth.state.ts';

/** An authorization as it was started. */
export interface StateRow {
  readonly stateHash: string;
  readonly organizationId: string;
  readonly integrationId: string;
  readonly subject: string;
  readonly subjectName: string;
  readonly callback: Callback;
  readonly redirectUri: string;
  readonly protocol: Protocol;
  readonly issuer: string;
  readonly credentialGeneration: number;
  readonly scopes: readonly string[];
  readonly resource: string | null;
  readonly accessMode: AccessMode | null;
  readonly enabledTools: readonly string[] | null;
  readonly services: readonly string[] | null;
  readonly server: AuthorizationServer;
  readonly cookieHash: string | null;
  readonly keyId: string | null;
  readonly wrappedKey: Buffer | null;
  readonly sealed: Buffer | null;
}

const select = columns<StateRow>({
  stateHash: 's.state_hash',
  organizationId: 's.organization_id',
  integrationId: 's.integration_id',
  subject: 's.subject',
  subjectName: 's.subject_name',
  callback: 's.callback',
  redirectUri: 's.redirect_uri',
  protocol: 's.protocol',
  issuer: 's.issuer',
  credentialGeneration: 's.credential_generation',
  scopes: 's.scopes',
  resource: 's.resource',
  accessMode: 's.access_mode',
  enabledTools: 's.enabled_tools',
  services: 's.services',
  server: 's.server',
  cookieHash: 's.cookie_hash',
  keyId: 's.key_id',
  wrappedKey: 's.wrapped_key',
  sealed: 's.sealed',
});

export interface NewState extends Omit<StateRow, 'keyId' | 'wrappedKey' | 'sealed'> {
  readonly ownHash: string | null;
}

const LIFE = sql.raw(`interval '${OAUTH.stateMinutes} minutes'`);
const NO_SECRET = sql.raw('key_id = null, wrapped_key = null, sealed = null');

/** Ends what the same person started for this connector before and has not come back for. */
export function voidEarlier(organizationId: string, integrationId: string, subject: string): Statement {
  return sql`
    update oauth_state s set status = 'void', ${NO_SECRET}
    where s.organization_id = ${organizationId} and s.integration_id = ${integrationId} and s.subject = ${subject}
      and s.status = 'issued'`;
}

/** How many of a connector wait for their callback. */
export function liveStates(organizationId: string, integrationId: string): Statement<{ count: number }> {
  return sql`
    select count(*)::int as count from oauth_state s
    where s.organization_id = ${organizationId} and s.integration_id = ${integrationId} and s.status = 'issued'
      and s.expires_at > clock_timestamp()`;
}

/** When one that starts now is over. */
export function expiryOfStates(): Statement<{ expiresAt: string }> {
  return sql`select clock_timestamp() + ${LIFE} as "expiresAt"`;
}

export function insertState(state: NewState, expiresAt: string, secret: SealedSecret): Statement {
  return sql`
    insert into oauth_state (state_hash, organization_id, integration_id, subject, subject_name, callback, redirect_uri,
      protocol, issuer, credential_generation, scopes, resource, access_mode, enabled_tools, services, server,
      cookie_hash, own_hash, expires_at, key_id, wrapped_key, sealed)
    values (${state.stateHash}, ${state.organizationId}, ${state.integrationId}, ${state.subject}, ${state.subjectName},
      ${state.callback}, ${state.redirectUri}, ${state.protocol}, ${state.issuer}, ${state.credentialGeneration},
      ${state.scopes}::text[], ${state.resource}, ${state.accessMode}, ${state.enabledTools}::text[],
      ${state.services}::text[], ${JSON.stringify(state.server)}::jsonb, ${state.cookieHash}, ${state.ownHash},
      ${expiresAt}, ${secret.keyId}, ${secret.wrappedKey}, ${secret.sealed})`;
}

/** What a callback brings along. */
export interface Arrival {
  /** Of the states that it may mean: one, or in OAuth 1.0a one an issuer. */
  readonly hashes: readonly string[];
  readonly callback: Callback;
  readonly redirectUri: string;
  /** Of the state of its own, of OAuth 1.0a; empty without. */
  readonly ownHash: string;
  /** Empty without a cookie. */
  readonly cookieHash: string;
}

/** Takes an authorization for its callback, once. */
export function takeState(arrival: Arrival): Statement<StateRow> {
  const { hashes, callback, redirectUri, ownHash, cookieHash } = arrival;
  return sql`
    select ${select}
    from take_oauth_state(${hashes}::text[], ${callback}, ${redirectUri}, ${ownHash}, ${cookieHash}) s`;
}

/** Takes one that was to be confirmed for its confirmation, once. */
export function takeConfirmed(confirmHash: string, callback: Callback, redirectUri: string): Statement<StateRow> {
  return sql`select ${select} from confirm_oauth_state(${confirmHash}, ${callback}, ${redirectUri}) s`;
}

/** Keeps what came until a person confirms it. */
export function awaitConfirmation(
  organizationId: string,
  stateHash: string,
  confirmHash: string,
  secret: SealedSecret,
): Statement {
  const [organization, hash] = [sql.value(organizationId), sql.value(stateHash)];
  return sql`
    with later as materialized (
      select clock_timestamp() + ${LIFE} as at from oauth_state s
      where s.organization_id = ${organization} and s.state_hash = ${hash} for no key update of s)
    update oauth_state s set status = 'confirming', confirm_hash = ${confirmHash}, expires_at = later.at,
      key_id = ${secret.keyId}, wrapped_key = ${secret.wrappedKey}, sealed = ${secret.sealed}
    from later
    where s.organization_id = ${organization} and s.state_hash = ${hash} and s.status = 'taken'`;
}

export function endState(
  organizationId: string,
  stateHash: string,
  status: Extract<OAuthStateStatus, 'completed' | 'failed'>,
): Statement {
  return sql`
    update oauth_state s set status = ${status}, ${NO_SECRET}
    where s.organization_id = ${organizationId} and s.state_hash = ${stateHash}
      and s.status in ('taken', 'confirming')`;
}

/** Takes the secrets of those that ran out. */
export function wipeExpired(limit: number): Statement {
  return sql`
    with over as materialized (
      select s.state_hash from oauth_state s where s.expires_at < clock_timestamp() and s.key_id is not null
      limit ${limit} for update skip locked)
    update oauth_state s set ${NO_SECRET} from over where s.state_hash = over.state_hash returning 1`;
}

/** Removes those that were over for a day. */
export function removeOld(limit: number): Statement {
  return sql`
    with old as materialized (
      select s.state_hash from oauth_state s
      where s.expires_at < clock_timestamp() - ${sql.raw(`interval '${OAUTH.keptHours} hours'`)}
      limit ${limit} for update skip locked)
    delete from oauth_state s using old where s.state_hash = old.state_hash returning 1`;
}
