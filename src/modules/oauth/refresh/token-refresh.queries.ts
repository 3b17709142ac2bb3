import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { SealedSecret } from '../../../kernel/secrets/index.ts';
import type { StoredCredential } from '../../integrations/index.ts';

/** A credential, and whether a refresh of it may go out. */
export interface RefreshableRow extends StoredCredential {
  /** Whether this call is the one that refreshes it. */
  readonly isClaimed: boolean;
  /** Whether somebody else refreshes it now. */
  readonly isBusy: boolean;
}

/** The token that is to be replaced. */
export interface TokenPlace {
  readonly organizationId: string;
  readonly integrationId: string;
  readonly generation: number;
  readonly tokenVersion: number;
}

const CLAIM = sql.raw(`interval '20 seconds'`);
const SELECT = columns<StoredCredential>({
  organizationId: 'h.organization_id',
  integrationId: 'h.integration_id',
  purpose: 'h.purpose',
  generation: 'h.generation',
  kind: 'h.kind',
  state: 'h.state',
  identity: 'h.identity',
  scopes: 'h.scopes',
  issuer: 'h.issuer',
  resource: 'h.resource',
  tokenVersion: 'h.token_version',
  accessExpiresAt: 'h.access_expires_at',
  accessSecondsLeft: 'extract(epoch from h.access_expires_at - h.now)::float8',
  keyId: 'h.key_id',
  wrappedKey: 'h.wrapped_key',
  sealed: 'h.sealed',
});

/**
 * Claims the refresh of one version of a token for this call, unless it was refreshed, another call refreshes it, or it is not
 * to be tried again yet; answers the credential as it stands behind the wait for its lock.
 */
export function claimRefresh(place: TokenPlace, claim: string): Statement<RefreshableRow> {
  const [organization, integration] = [sql.value(place.organizationId), sql.value(place.integrationId)];
  return sql`
    with held as materialized (
      select c.*, clock_timestamp() as now from integration_credential c
      where c.organization_id = ${organization} and c.integration_id = ${integration} and c.purpose = 'primary'
      for no key update of c),
    free as materialized (
      select h.now + ${CLAIM} as until from held h
      where h.generation = ${place.generation} and h.token_version = ${place.tokenVersion} and h.state = 'connected'
        and (h.refresh_claim_until is null or h.refresh_claim_until < h.now)
        and (h.next_refresh_at is null or h.next_refresh_at <= h.now)),
    claimed as (
      update integration_credential c set refresh_claim = ${claim}, refresh_claim_until = free.until from free
      where c.organization_id = ${organization} and c.integration_id = ${integration} and c.purpose = 'primary'
      returning 1)
    select ${SELECT}, exists (select from claimed) as "isClaimed",
      coalesce(h.refresh_claim_until > h.now, false) as "isBusy"
    from held h`;
}

/** A refresh that this process claimed. */
export interface Claim extends TokenPlace {
  readonly claim: string;
}

function held({ organizationId, integrationId, generation, tokenVersion, claim }: Claim, select: string) {
  const [organization, integration] = [sql.value(organizationId), sql.value(integrationId)];
  const mine = sql`c.organization_id = ${organization} and c.integration_id = ${integration} and c.purpose = 'primary'`;
  const locked = sql`
    select ${sql.raw(select)} from integration_credential c
    where ${mine} and c.generation = ${generation} and c.token_version = ${tokenVersion} and c.refresh_claim = ${claim}
    for no key update of c`;
  return { mine, locked };
}

/** Stores what a refresh brought, if the credential and the claim still are those that asked; answers a row then. */
export function storeTokens(
  claim: Claim,
  tokens: SealedSecret & { readonly scopes: readonly string[] | null; readonly expiresInSeconds: number | null },
): Statement<{ tokenVersion: number }> {
  const { scopes, expiresInSeconds, keyId, wrappedKey, sealed } = tokens;
  const { mine, locked } = held(claim, 'c.token_version + 1 as version, c.scopes as known, clock_timestamp() as now');
  return sql`
    with held as materialized (${locked}),
    next as materialized (
      select h.version, h.now, coalesce(${scopes}::text[], h.known) as scopes,
        h.now + make_interval(secs => ${expiresInSeconds}::float8) as expires from held h),
    stored as (
      update integration_credential c set token_version = next.version, scopes = next.scopes,
        access_expires_at = next.expires, refreshed_at = next.now, refresh_claim = null, refresh_claim_until = null,
        refresh_failures = 0, next_refresh_at = null, key_id = ${keyId}, wrapped_key = ${wrappedKey}, sealed = ${sealed}
      from next where ${mine}
      returning 1)
    select next.version as "tokenVersion" from next where exists (select from stored)`;
}

/** Frees a claim and puts off the next try: 30 s, doubling to 15 min, or as long as the server said. */
export function postponeRefresh(claim: Claim, retryAfterSeconds: number | null): Statement {
  const { mine, locked } = held(claim, 'c.refresh_failures as failures, clock_timestamp() as now');
  return sql`
    with held as materialized (${locked}),
    next as materialized (
      select h.failures + 1 as failures, h.now + make_interval(secs =>
        greatest(least(30 * power(2, least(h.failures, 10)), 900), coalesce(${retryAfterSeconds}::float8, 0))) as at
      from held h)
    update integration_credential c set refresh_failures = next.failures, next_refresh_at = next.at, refresh_claim = null,
      refresh_claim_until = null
    from next where ${mine}`;
}

/** Frees a claim of what cannot be refreshed and holds; it is looked at again when it is over, or after a day. */
export function restRefresh(claim: Claim): Statement {
  const { mine, locked } = held(claim, `least(clock_timestamp() + interval '1 day', c.access_expires_at) as at`);
  return sql`
    with held as materialized (${locked})
    update integration_credential c set next_refresh_at = held.at, refresh_claim = null, refresh_claim_until = null
    from held where ${mine}`;
}

/** Says that a person has to authorize anew, if the claim still holds; answers a row then. */
export function requireReauthorization(claim: Claim): Statement<{ id: string }> {
  const { mine, locked } = held(claim, 'c.integration_id');
  return sql`
    with held as materialized (${locked}),
    marked as (
      update integration_credential c set state = 'reauthorization_required', refresh_claim = null,
        refresh_claim_until = null
      from held where ${mine}
      returning c.integration_id as id)
    select id from marked`;
}

/** Tokens that were not refreshed for a day, across organizations. */
export function staleTokens(limit: number): Statement<TokenPlace> {
  return sql`
    select c.organization_id as "organizationId", c.integration_id as "integrationId", c.generation,
      c.token_version as "tokenVersion"
    from integration_credential c
    where c.kind = 'oauth2' and c.state = 'connected' and c.purpose = 'primary'
      and c.refreshed_at < clock_timestamp() - interval '1 day'
      and (c.next_refresh_at is null or c.next_refresh_at <= clock_timestamp())
    order by c.refreshed_at limit ${limit}`;
}
