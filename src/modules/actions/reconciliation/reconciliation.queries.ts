import { ISO_NOW, sql, type Statement } from '../../../kernel/database/index.ts';
import type { ActionReconciliation } from '../action.state.ts';
import { type FoundAction, FOUND_LIMIT } from '../action-sweep.ts';

/** Ambiguous actions across organizations at which their executor is to look now. */
export function actionsToSettle(): Statement<FoundAction> {
  return sql`
    select a.organization_id as "organizationId", a.id from action a join organization o on o.id = a.organization_id
    where a.status = 'reconciliation_required' and a.settle_at <= clock_timestamp() and o.status = 'active'
    order by a.settle_at, a.organization_id, a.id limit ${FOUND_LIMIT}`;
}

/** Whether a look at a held action is due, and how many were before. */
export function dueLook(organizationId: string, id: string): Statement<{ looks: number }> {
  return sql`
    select a.settle_attempts as looks from action a
    where a.organization_id = ${organizationId} and a.id = ${id} and a.status = 'reconciliation_required'
      and a.settle_at <= clock_timestamp()`;
}

/** Notes that an executor looks now; the next look is so many seconds later, or never. */
export function noteLook(organizationId: string, id: string, nextInSeconds: number | null): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select a.id, a.settle_attempts + 1 as looks, clock_timestamp() as now,
        clock_timestamp() + ${nextInSeconds}::int * interval '1 second' as settle_at
      from action a
      where a.organization_id = ${organization} and a.id = ${id} for no key update),
    moved as (
      update action a set settle_at = h.settle_at, settle_attempts = h.looks, updated_at = h.now
      from held h where a.organization_id = ${organization} and a.id = h.id)
    select h.id from held h`;
}

/** Whether a held action that has ended had been ambiguous: what it ended as was found out, by a person or its executor. */
export function wasAmbiguous(organizationId: string, id: string): Statement<{ id: string }> {
  return sql`
    select a.id from action a where a.organization_id = ${organizationId} and a.id = ${id}
      and (a.reconciliation is not null or a.settle_attempts > 0)`;
}

/** Notes on a held action who found out what became of it, dated by the database. */
export function noteReconciliation(
  organizationId: string,
  id: string,
  reconciliation: Omit<ActionReconciliation, 'at'>,
): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select a.id, ${JSON.stringify(reconciliation)}::jsonb || jsonb_build_object('at', ${sql.raw(ISO_NOW)}) as noted
      from action a where a.organization_id = ${organization} and a.id = ${id} for no key update),
    moved as (
      update action a set reconciliation = h.noted
      from held h where a.organization_id = ${organization} and a.id = h.id)
    select h.id from held h`;
}
