import { sql, ISO_NOW, type Statement } from '../../../kernel/database/index.ts';
import { type ActionDecision, actionMoves } from '../action.state.ts';

/** The decision of a held action, dated by the database. */
export function noteDecision(organizationId: string, id: string, decision: Omit<ActionDecision, 'at'>): Statement {
  const organization = sql.value(organizationId);
  const action = sql.value(id);
  return sql`
    with held as materialized (
      select ${JSON.stringify(decision)}::jsonb || jsonb_build_object('at', ${sql.raw(ISO_NOW)}) as decision
      from action a where a.organization_id = ${organization} and a.id = ${action}),
    noted as (
      update action a set decision = held.decision from held
      where a.organization_id = ${organization} and a.id = ${action})
    select count(*) from held`;
}

/** Approves a held action, which then waits for an executor. */
export function approveAction(organizationId: string, id: string): Statement {
  const organization = sql.value(organizationId);
  const action = sql.value(id);
  return sql`
    with held as materialized (
      select a.revision + 1 as revision, clock_timestamp() as now from action a
      where a.organization_id = ${organization} and a.id = ${action}
        and ${sql.raw(actionMoves.permits('approve', 'a.status'))}),
    approved as (
      update action a set status = ${sql.raw(actionMoves.moved('approve', 'a.status'))}, revision = held.revision,
        approved_at = held.now, updated_at = held.now
      from held
      where a.organization_id = ${organization} and a.id = ${action})
    select count(*) from held`;
}

/** What a person wrote that a turn answers, and whether the action awaited the person's decision before that was stored. */
export interface DecidingMessage {
  readonly author: { readonly displayName: string };
  /** The texts of its parts. */
  readonly texts: readonly string[];
  readonly isOlder: boolean;
}

export function decidingMessage(
  organizationId: string,
  messageId: string,
  actionId: string,
): Statement<DecidingMessage> {
  const organization = sql.value(organizationId);
  return sql`
    select m.author, coalesce(a.awaits_since < m.created_at, false) as "isOlder",
      coalesce((
        select jsonb_agg(part.value ->> 'text' order by part.ordinality)
        from jsonb_array_elements(m.parts) with ordinality part where part.value ->> 'kind' = 'text'), '[]') as texts
    from message m join action a on a.organization_id = ${organization} and a.id = ${actionId}
    where m.organization_id = ${organization} and m.id = ${messageId} and m.role = 'user'`;
}
