import { type Statement, statement } from '../../../kernel/database/index.ts';
import { isWaiting, organizationMayRunTurns } from './turn-claim.queries.ts';
import { TURN } from './turn.policy.ts';

/**
 * Turns that wait and are out of the index that claims walk: those that a worker gave back rest for a time; those of an
 * organization of which none may be claimed (as many are live as may be, or nobody is enabled to answer) are held back until
 * a place is free or a profile enabled, so that claims of others do not come by again and again. What is held back
 * wrongly, the sweep puts back into the queue within seconds.
 */
const HELD_BACK = `'infinity'`;
/** Turns that one statement moves. */
const TURNS_LIMIT = 200;
/** Organizations that one walk of the sweep passes. */
export const WALK_LIMIT = 500;

/** The condition of turns of an alias that are held back. */
export function isHeldBack(alias: string): string {
  return `${alias}.status = 'pending' and ${alias}.resting and ${alias}.rests_until = ${HELD_BACK}`;
}

/** The condition of all that is out of the index, of an alias. */
export function isResting(alias: string): string {
  return `${alias}.status = 'pending' and ${alias}.resting`;
}

/**
 * A CTE that puts the oldest held-back turns of an organization back into the queue, one for each row of `freed`, the places
 * that the statement frees. Where nothing is held back it reads one key.
 */
export function requeueHeldBack(organizationId: string, freed: string): string {
  return `requeued as (
    update message m set resting = false, rests_until = null
    from (select h.organization_id, h.id from message h
          where h.organization_id = ${organizationId} and ${isHeldBack('h')}
          order by h.created_at, h.id limit (select count(*) from ${freed})
          for no key update skip locked) h
    where m.organization_id = h.organization_id and m.id = h.id)`;
}

/** Whether turns of an organization wait, for a place or for a claim. */
export function hasWaitingTurns(organizationId: string): string {
  return `(exists (select from message w where w.organization_id = ${organizationId} and ${isWaiting('w')})
    or exists (select from message w where w.organization_id = ${organizationId} and ${isHeldBack('w')}))`;
}

/** Puts all held-back turns of an organization back into the queue. */
export function requeueAllHeldBack(organizationId: string): Statement {
  return statement(
    `update message m set resting = false, rests_until = null where m.organization_id = $1 and ${isHeldBack('m')}`,
    organizationId,
  );
}

/** Puts turns back into the queue whose rest after a release is over; answers one row each. */
export function endRests(): Statement<{ organizationId: string }> {
  return statement(
    `update message m set resting = false, rests_until = null
     from (select r.organization_id, r.id from message r where ${isResting('r')} and r.rests_until <= (select clock_timestamp())
           order by r.rests_until limit ${TURNS_LIMIT} for no key update skip locked) rested
     where m.organization_id = rested.organization_id and m.id = rested.id
     returning m.organization_id as "organizationId"`,
  );
}

/** How far a sweep came in the order of organizations. */
export interface SweepProgress {
  /** Organizations of which something was put back into the queue. */
  readonly organizationIds: readonly string[];
  readonly walked: number;
  readonly last: string | null;
}

function organizationsWalk(condition: (alias: string) => string): string {
  const next = (behind: string) =>
    `select w.organization_id from message w where ${condition('w')} and w.organization_id > ${behind}
     order by w.organization_id limit 1`;
  return `walk(organization_id, step) as (
      (select w.organization_id, 1 from (${next('$1::uuid')}) w)
      union all
      select w.organization_id, walk.step + 1 from walk cross join lateral (${next('walk.organization_id')}) w
      where walk.step < ${WALK_LIMIT}),
    d as materialized (select w.organization_id, w.step from walk w)`;
}

const PROGRESS = `(select count(*)::int from d) as walked, (select d.organization_id from d order by d.step desc limit 1) as last`;

/** Holds back what waits of organizations of which none may be claimed, of those behind one. Always answers one row. */
export function holdBack(after: string): Statement<SweepProgress> {
  return statement(
    `with recursive ${organizationsWalk(isWaiting)},
     held as (
       update message m set resting = true, rests_until = ${HELD_BACK}
       from (select w.organization_id, w.id
             from d cross join lateral (
               select w.organization_id, w.id from message w
               where w.organization_id = d.organization_id and ${isWaiting('w')}
               order by w.created_at, w.id limit ${TURNS_LIMIT} for no key update skip locked) w
             where ${organizationMayRunTurns('d')} is not true) w
       where m.organization_id = w.organization_id and m.id = w.id)
     select '{}'::uuid[] as "organizationIds", ${PROGRESS}`,
    after,
  );
}

/** Puts back into the queue what may be claimed after all, of organizations behind one. Always answers one row. */
export function requeueMissed(after: string): Statement<SweepProgress> {
  return statement(
    `with recursive ${organizationsWalk(isHeldBack)},
     requeued as (
       update message m set resting = false, rests_until = null
       from (select h.organization_id, h.id
             from d cross join lateral (
               select h.organization_id, h.id from message h
               where h.organization_id = d.organization_id and ${isHeldBack('h')}
               order by h.created_at, h.id limit ${TURN.maxLive} for no key update skip locked) h
             where ${organizationMayRunTurns('d')}) h
       where m.organization_id = h.organization_id and m.id = h.id
       returning m.organization_id)
     select array(select distinct l.organization_id from requeued l) as "organizationIds", ${PROGRESS}`,
    after,
  );
}
