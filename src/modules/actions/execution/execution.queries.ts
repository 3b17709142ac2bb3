import { sql, type Statement } from '../../../kernel/database/index.ts';
import { type FoundAction, FOUND_LIMIT } from '../action-sweep.ts';
import { actionMoves, type ActionPolicy } from '../action.state.ts';

/** Approved actions across organizations that no executor has, the longest approved first; none of busy organizations. */
export function approvedActions(limit: number, busy: readonly string[]): Statement<FoundAction> {
  return sql`
    select a.organization_id as "organizationId", a.id from action a join organization o on o.id = a.organization_id
    where a.status = 'approved' and o.status = 'active' and a.organization_id <> all(${busy}::uuid[])
    order by a.approved_at, a.organization_id, a.id limit ${limit}`;
}

/** Actions across organizations whose executor was not heard of until its lease ended. */
export function lapsedActions(): Statement<FoundAction> {
  return sql`
    select a.organization_id as "organizationId", a.id from action a join organization o on o.id = a.organization_id
    where a.status = 'executing' and a.lease_expires_at <= clock_timestamp() and o.status = 'active'
    order by a.lease_expires_at, a.organization_id, a.id limit ${FOUND_LIMIT}`;
}

/**
 * Holds the organization until the commit, so that a change of its constraints is either seen here or waits. No row where it
 * is not active. Holds FOR SHARE, which tasks and actions of others may share.
 */
export function holdOrganization(organizationId: string): Statement<{ id: string }> {
  return sql`
    select o.id from organization o
    where o.id = ${organizationId} and o.status = 'active' for share`;
}

/** Holds the connector that an action goes through, if it is one of the organization's own. */
export function holdConnector(organizationId: string, actionId: string): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    select i.id from integration i
    where i.organization_id = ${organization} and i.id = (
      select a.integration_id from action a where a.organization_id = ${organization} and a.id = ${actionId})
    for share`;
}

/** Holds the profile that proposed an action, so that it is disabled before this transaction or behind it. */
export function holdProposer(organizationId: string, actionId: string): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    select p.id from agent_profile p
    where p.organization_id = ${organization} and p.id = (
      select a.agent_profile_id from action a where a.organization_id = ${organization} and a.id = ${actionId})
    for share`;
}

const TAKEN = sql.raw(actionMoves.moved('take', 'a.status'));
const MAY_TAKE = sql.raw(actionMoves.permits('take', 'a.status'));

/** Gives a held action to an executor; with `release` it may send at once. */
export function takeAction(
  organizationId: string,
  id: string,
  {
    token,
    leaseSeconds,
    release,
  }: { readonly token: string; readonly leaseSeconds: number; readonly release: boolean },
): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select a.id, a.revision + 1 as revision, clock_timestamp() as now,
        clock_timestamp() + ${leaseSeconds}::int * interval '1 second' as lapses_at,
        case when ${release}::boolean then clock_timestamp() end as sent_at
      from action a
      where a.organization_id = ${organization} and a.id = ${id} and ${MAY_TAKE} for no key update),
    moved as (
      update action a set status = ${TAKEN}, executor_token = ${token}, lease_expires_at = h.lapses_at,
        sent_at = h.sent_at, revision = h.revision, updated_at = h.now
      from held h where a.organization_id = ${organization} and a.id = h.id)
    select h.id from held h`;
}

/** An executor's hold on an action that it has not sent. */
function isHeldBy(token: string) {
  return sql`a.status = 'executing' and a.executor_token = ${token} and a.sent_at is null
        and a.lease_expires_at > clock_timestamp()`;
}

/** Whether an executor still has an action; no row once its lease lapsed, or the action moved. Reads behind the lock. */
export function executorHolds(organizationId: string, id: string, token: string): Statement<{ id: string }> {
  return sql`
    select a.id from action a where a.organization_id = ${organizationId} and a.id = ${id} and ${isHeldBy(token)}`;
}

/** Says that the action is on its way: from the commit on nobody sends it again. No row for whoever has lost it. */
export function releaseAction(organizationId: string, id: string, token: string): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select a.id, a.revision + 1 as revision, clock_timestamp() as now from action a
      where a.organization_id = ${organization} and a.id = ${id} and ${isHeldBy(token)} for no key update),
    moved as (
      update action a set sent_at = h.now, revision = h.revision, updated_at = h.now
      from held h where a.organization_id = ${organization} and a.id = h.id)
    select h.id from held h`;
}

const ASKED_AGAIN = sql.raw(actionMoves.moved('askAgain', 'a.status'));

/** Lets a held action await a person's approval, who was not needed before. */
export function askAgain(organizationId: string, id: string, policy: ActionPolicy): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select a.id, a.revision + 1 as revision, clock_timestamp() as now from action a
      where a.organization_id = ${organization} and a.id = ${id} for no key update),
    moved as (
      update action a set status = ${ASKED_AGAIN}, policy = ${JSON.stringify(policy)}::jsonb, approval_required = true,
        decision = null, awaits_since = h.now, approved_at = null, executor_token = null, lease_expires_at = null,
        revision = h.revision, updated_at = h.now
      from held h where a.organization_id = ${organization} and a.id = h.id)
    select h.id from held h`;
}

const GIVEN_BACK = sql.raw(actionMoves.moved('lapse', 'a.status'));

/** Gives an unsent action back whose executor was not heard of. */
export function giveBack(organizationId: string, id: string): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select a.id, a.lapses + 1 as lapses, a.revision + 1 as revision, clock_timestamp() as now from action a
      where a.organization_id = ${organization} and a.id = ${id} for no key update),
    moved as (
      update action a set status = ${GIVEN_BACK}, executor_token = null, lease_expires_at = null, lapses = h.lapses,
        revision = h.revision, updated_at = h.now
      from held h where a.organization_id = ${organization} and a.id = h.id)
    select h.id from held h`;
}

/** Whether the lease of a held action has lapsed. */
export function hasLapsed(organizationId: string, id: string): Statement<{ lapsed: boolean }> {
  return sql`
    select a.status = 'executing' and a.lease_expires_at <= clock_timestamp() as lapsed from action a
    where a.organization_id = ${organizationId} and a.id = ${id}`;
}

const PARKED = sql.raw(actionMoves.moved('park', 'a.status'));

/** Parks a sent action of which nobody knows what became; the executor looks at once where it can. */
export function parkAction(
  organizationId: string,
  id: string,
  { error, settles, inboxItemId }: { readonly error: object; readonly settles: boolean; readonly inboxItemId: string },
): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select a.id, a.revision + 1 as revision, clock_timestamp() as now,
        case when ${settles}::boolean then clock_timestamp() end as settle_at
      from action a where a.organization_id = ${organization} and a.id = ${id} for no key update),
    moved as (
      update action a set status = ${PARKED}, executor_token = null, lease_expires_at = null,
        error = ${JSON.stringify(error)}::jsonb, settle_at = h.settle_at, settle_attempts = 0,
        inbox_item_id = ${inboxItemId}, awaits_since = h.now, revision = h.revision, updated_at = h.now
      from held h where a.organization_id = ${organization} and a.id = h.id)
    select h.id from held h`;
}

/** Notes what came when it could not count any more; nothing else moves. */
export function noteObserved(organizationId: string, id: string, observed: object): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select a.id, clock_timestamp() as now,
        coalesce(a.error, ${JSON.stringify(LATE)}::jsonb) || jsonb_build_object('observed', ${JSON.stringify(observed)}::jsonb)
          as error
      from action a
      where a.organization_id = ${organization} and a.id = ${id} and a.status <> 'executing' for no key update),
    moved as (
      update action a set error = h.error, updated_at = h.now
      from held h where a.organization_id = ${organization} and a.id = h.id)
    select h.id from held h`;
}

/** The error of an action that ended well before its answer came. */
const LATE = { code: 'late_answer', message: 'The provider answered when the outcome had been recorded.' };
