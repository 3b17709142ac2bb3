import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import { BOOTSTRAP } from '../../../kernel/tenancy/index.ts';
import { KeysetList, uuidCursor } from '../../../kernel/pagination/index.ts';
import type { Scope } from '../../../kernel/principals/index.ts';
import type { OwnerTokenDto, OwnerTokenListQuery } from './owner-token.dto.ts';

const select = columns<OwnerTokenDto>({
  id: 't.id',
  name: 't.name',
  subject: 't.subject',
  prefix: 't.prefix',
  organizationIds: 't.organization_ids',
  scopes: 't.scopes',
  createdAt: 't.created_at',
  expiresAt: 't.expires_at',
  lastUsedAt: 't.last_used_at',
});

/** A subject's own tokens, newest first; those of all subjects for the administrator. */
export function ownerTokensOf(subject: string, query: OwnerTokenListQuery): KeysetList<OwnerTokenDto> {
  return new KeysetList<OwnerTokenDto>(
    {
      select,
      from: 'owner_token t',
      where: subject === BOOTSTRAP ? [] : [sql`t.subject = ${subject}`],
      sortBy: [{ sql: 't.id', type: 'uuid', of: ({ id }) => id }],
      cursor: uuidCursor,
    },
    query,
  );
}

interface NewToken {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: Buffer;
  readonly organizationIds: readonly string[] | null;
  readonly scopes: readonly Scope[];
  /** When it shall expire, and the latest that it may: the end of the token that makes it. Null is never. */
  readonly expiresAt: string | null;
  readonly latest: string | null;
}

/** The answer says whether the wanted end is past or too late; the caller then rolls back. */
export function insertOwnerToken(token: NewToken): Statement<OwnerTokenDto & { isPast: boolean; outlives: boolean }> {
  const { id, subject, name, prefix, hash, organizationIds, scopes, expiresAt, latest } = token;
  return sql`
    with wanted as (select ${expiresAt}::timestamptz as expires_at, ${latest}::timestamptz as latest),
    t as (
      insert into owner_token as t (id, subject, name, prefix, token_hash, organization_ids, scopes, expires_at)
      select ${id}, ${subject}, ${name}, ${prefix}, ${hash}, ${organizationIds}::uuid[], ${scopes}::text[],
        least(expires_at, latest)
      from wanted
      returning t.*)
    select ${select}, t.expires_at <= clock_timestamp() as "isPast", w.expires_at > w.latest as outlives
    from t, wanted w`;
}

/** Which of these organizations the transaction's subject belongs to; row-level security hides the others. */
export function openOrganizations(ids: readonly string[]): Statement<{ id: string }> {
  return sql`select o.id from organization o where o.id = any(${ids}::uuid[]) and o.status <> 'deleting'`;
}

export function deleteOwnerToken(id: string): Statement<OwnerTokenDto> {
  return sql`delete from owner_token t where t.id = ${id} returning ${select}`;
}
