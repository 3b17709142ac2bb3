import { sql, type Statement } from '../../../kernel/database/index.ts';

/** Purposes of a connector; no row where it was removed. */
export function purposesOf(organizationId: string, key: string): Statement<{ purposes: readonly string[] }> {
  return sql`
    select i.purposes from integration i where i.organization_id = ${organizationId} and i.key = ${key}`;
}

export interface SoughtConnector {
  readonly key: string;
  readonly purposes: readonly string[];
}

/** Tasks that wait for a connector, or for any of its purposes, or for any connector at all; from behind an id on. */
export function tasksWaitingFor(
  organizationId: string,
  sought: SoughtConnector | 'any',
  after: string,
  limit: number,
): Statement<{ id: string }> {
  const { key, purposes } = sought === 'any' ? { key: undefined, purposes: [] } : sought;
  const byKey = sql.value(JSON.stringify([{ kind: 'integration', connectorKey: key }]));
  return sql`
    select t.id from task t
    where t.organization_id = ${organizationId} and t.status = 'blocked' and t.id > ${after}::uuid
      and (t.blockers @> ${byKey}::jsonb or exists (
        select from jsonb_array_elements(t.blockers) b
        where b->>'kind' = 'integration' and b->'requirement'->>'purpose' = any(${purposes}::text[])))
    order by t.id limit ${limit}`;
}
