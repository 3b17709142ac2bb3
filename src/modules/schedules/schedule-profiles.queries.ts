import { sql, type Statement } from '../../kernel/database/index.ts';
import type { ActingProfile } from './schedule.policy.ts';

/** A profile that is not deleted, held shared: its deletion then finds what is made here, and pauses it. */
export function holdActingProfile(
  organizationId: string,
  id: string,
): Statement<ActingProfile & { readonly status: string }> {
  return sql`
    select p.id, p.key, p.kind, p.department, p.status from agent_profile p
    where p.organization_id = ${organizationId} and p.id = ${id} and p.deleted_at is null for share`;
}

/** The same, without its columns. */
export function holdProfile(organizationId: string, id: string): Statement {
  return sql`
    select from agent_profile p
    where p.organization_id = ${organizationId} and p.id = ${id} and p.deleted_at is null for share`;
}

/** A row where a profile has this key, within a department if one is named. */
export function profileOfKey(organizationId: string, key: string, department: string | null): Statement {
  const within = sql.value(department);
  return sql`
    select from agent_profile p
    where p.organization_id = ${organizationId} and p.key = ${key} and p.deleted_at is null
      and (${within}::text is null or p.department = ${within})`;
}
