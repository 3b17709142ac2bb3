import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { SealedSecret } from '../../../kernel/secrets/index.ts';
import type { AuthorizationClient } from '../authorization-server.ts';
import { OAUTH } from '../oauth.policy.ts';

/** A client that the service registered, as an authorization uses it. */
export interface ClientRow extends SealedSecret {
  readonly id: string;
  readonly clientId: string;
  readonly authMethod: AuthorizationClient['authMethod'];
}

const select = columns<ClientRow>({
  id: 'c.id',
  clientId: 'c.client_id',
  authMethod: 'c.auth_method',
  keyId: 'c.key_id',
  wrappedKey: 'c.wrapped_key',
  sealed: 'c.sealed',
});

/** Whether a server can still be expected to know a client. */
const USABLE = sql`c.rejected_at is null and c.unanswered < ${OAUTH.mostUnanswered}::int
  and (c.secret_expires_at is null or c.secret_expires_at > clock_timestamp() + interval '1 hour')`;

/** The client of an issuer, where the server can be expected to know it. */
export function usableClient(organizationId: string, issuer: string, redirectUri: string): Statement<ClientRow> {
  return sql`
    select ${select} from oauth_client c
    where c.organization_id = ${organizationId} and c.issuer = ${issuer} and c.redirect_uri = ${redirectUri}
      and ${USABLE}`;
}

/** Makes room for another one, unless a usable one came meanwhile. */
export function removeUnusable(organizationId: string, issuer: string, redirectUri: string): Statement {
  return sql`
    delete from oauth_client c
    where c.organization_id = ${organizationId} and c.issuer = ${issuer} and c.redirect_uri = ${redirectUri}
      and not (${USABLE})`;
}

export interface NewClient extends ClientRow {
  readonly issuer: string;
  readonly redirectUri: string;
  /** Seconds since 1970; null where it does not expire. */
  readonly secretExpiresAt: number | null;
}

/** Keeps a client that was registered; of two at once the first one stays. */
export function insertClient(organizationId: string, client: NewClient): Statement {
  return sql`
    insert into oauth_client (organization_id, id, issuer, redirect_uri, client_id, auth_method, secret_expires_at,
      key_id, wrapped_key, sealed)
    values (${organizationId}, ${client.id}, ${client.issuer}, ${client.redirectUri}, ${client.clientId},
      ${client.authMethod}, to_timestamp(${client.secretExpiresAt}::double precision), ${client.keyId},
      ${client.wrappedKey}, ${client.sealed})
    on conflict (organization_id, issuer, redirect_uri) do nothing`;
}

/** Counts a start whose browser has not come back yet. */
export function countUnanswered(organizationId: string, id: string): Statement {
  return sql`
    update oauth_client c set unanswered = c.unanswered + 1
    where c.organization_id = ${organizationId} and c.id = ${id}`;
}

/** Remembers that a server knows the client, because a browser came back from it. */
export function resetUnanswered(organizationId: string, id: string): Statement {
  return sql`
    update oauth_client c set unanswered = 0
    where c.organization_id = ${organizationId} and c.id = ${id} and c.unanswered > 0`;
}

/** Remembers that a token endpoint does not know the client any more. */
export function rejectClient(organizationId: string, id: string): Statement {
  const [organization, client] = [sql.value(organizationId), sql.value(id)];
  return sql`
    with now as materialized (
      select clock_timestamp() as at from oauth_client c
      where c.organization_id = ${organization} and c.id = ${client} for no key update of c)
    update oauth_client c set rejected_at = now.at from now
    where c.organization_id = ${organization} and c.id = ${client} and c.rejected_at is null`;
}
