import { sql, type Statement } from '../../kernel/database/index.ts';

/** Most names that one answer warns about. */
const MAX_NAMED = 20;

export interface UnknownName {
  readonly filter: 'organizationIds' | 'profileKeys';
  /** Its place in the filter, from 0. */
  readonly place: number;
}

/**
 * Names in the filters of a claim that nobody has: organizations that are unknown or deleted, and keys of no agent profile,
 * in the organizations that are named if any are. Where none are, it may read all profiles, so it is asked seldom.
 */
export function unknownNames(
  organizationIds: readonly string[] | null,
  profileKeys: readonly string[] | null,
): Statement<UnknownName> {
  const organizations = sql.value(organizationIds);
  return sql`
    select 'organizationIds' as filter, (n.nth - 1)::int as place
    from unnest(${organizations}::uuid[]) with ordinality n(id, nth)
    where not exists (select from organization o where o.id = n.id and o.status <> 'deleting')
    union all
    select 'profileKeys', (n.nth - 1)::int
    from unnest(${profileKeys}::text[]) with ordinality n(key, nth)
    where not exists (select from agent_profile p where p.key = n.key and p.deleted_at is null
      and (${organizations}::uuid[] is null or p.organization_id = any(${organizations}::uuid[])))
    order by filter, place limit ${sql.raw(String(MAX_NAMED))}`;
}
