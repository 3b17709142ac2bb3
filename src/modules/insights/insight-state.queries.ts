import { sql, type Statement } from '../../kernel/database/index.ts';

/** Makes the state of an organization's figures, once. */
export function ensureState(organizationId: string): Statement {
  return sql`
    insert into insight_state (organization_id, publication_revision, definitions_revision)
    values (${organizationId}, 0, 0) on conflict (organization_id) do nothing`;
}

/** Locks the state: one publication of an organization at a time. The time is that of behind the wait. */
export function lockState(organizationId: string): Statement<{ revision: number; now: string }> {
  return sql`
    with held as materialized (
      select s.publication_revision from insight_state s where s.organization_id = ${organizationId} for update)
    select h.publication_revision as revision, clock_timestamp() as now from held h`;
}

export function moveState(organizationId: string, revision: number): Statement {
  return sql`
    update insight_state set publication_revision = ${revision} where organization_id = ${organizationId}`;
}
