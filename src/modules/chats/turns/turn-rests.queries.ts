import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isWaiting, organizationMayRunTurns } from './turn-claim.queries.ts';
import { TURN } from './turn.policy.ts';

/**
 * Turns that wait and are out of the index that claims walk. A turn that a worker gave back rests for a time. Turns of
 * an organization that may run none (as many are live as may be, or no chat profile is enabled) are held back until a
 * turn ends or a profile is enabled, so that claims do not meet them again and again. The sweep requeues within seconds
 * what was held back wrongly.
 */
const HELD_BACK = sql`'infinity'`;
/** Turns that one statement moves. */
const TURNS_LIMIT = sql`200`;
/** Organizations that one walk of the sweep passes. */
export const WALK_LIMIT = 500;
const MAX_LIVE = sql.raw(String(TURN.maxLive));

/** The condition of turns of an alias that are held back. */
export function isHeldBack(alias: string): Sql {
  return sql`${isResting(alias)} and ${sql.raw(alias)}.rests_until = ${HELD_BACK}`;
}

/** The condition of all turns that are out of the index, of an alias. */
export function isResting(alias: string): Sql {
  return sql.raw(`${alias}.status = 'pending' and ${alias}.resting`);
}

const H_HELD_BACK = isHeldBack('h');
const W_HELD_BACK = isHeldBack('w');
const W_WAITS = isWaiting('w');

/**
 * A CTE that requeues the oldest held-back turns of an organization, one for each row of `freed`, the places that the
 * statement frees. Where none is held back it reads one key.
 */
export function requeueHeldBack(organizationId: Sql, freed: string): Sql {
  return sql`requeued as (
      update message m set resting = false, rests_until = null
      from (select h.organization_id, h.id from message h
            where h.organization_id = ${organizationId} and ${H_HELD_BACK}
            order by h.created_at, h.id limit (select count(*) from ${sql.raw(freed)})
            for no key update skip locked) h
      where m.organization_id = h.organization_id and m.id = h.id)`;
}

/** Whether turns of an organization wait, for a place or for a claim. */
export function hasWaitingTurns(organizationId: Sql): Sql {
  return sql`(exists (select from message w where w.organization_id = ${organizationId} and ${W_WAITS})
      or exists (select from message w where w.organization_id = ${organizationId} and ${W_HELD_BACK}))`;
}

/** Requeues all held-back turns of an organization. */
export function requeueAllHeldBack(organizationId: string): Statement {
  return sql`
    update message m set resting = false, rests_until = null
    where m.organization_id = ${organizationId} and ${isHeldBack('m')}`;
}

/** Requeues turns whose rest after a release is over; answers one row each. */
export function endRests(): Statement<{ organizationId: string }> {
  return sql`
    update message m set resting = false, rests_until = null
    from (select r.organization_id, r.id from message r
          where ${isResting('r')} and r.rests_until <= (select clock_timestamp())
          order by r.rests_until limit ${TURNS_LIMIT} for no key update skip locked) rested
    where m.organization_id = rested.organization_id and m.id = rested.id
    returning m.organization_id as "organizationId"`;
}

/** How far a sweep came in the order of organizations. */
export interface SweepProgress {
  /** Organizations of which it requeued turns. */
  readonly organizationIds: readonly string[];
  readonly walked: number;
  readonly last: string | null;
}

/** Recursive CTEs: the organizations behind `after` with turns that `condition` holds for, as `d`. */
function organizationsWalk(condition: Sql, after: string): Sql {
  const next = (behind: Sql) => sql`
        select w.organization_id from message w where ${condition} and w.organization_id > ${behind}
        order by w.organization_id limit 1`;
  return sql`walk(organization_id, step) as (
      (select w.organization_id, 1 from (${next(sql`${after}::uuid`)}) w)
      union all
      select w.organization_id, walk.step + 1
      from walk cross join lateral (${next(sql`walk.organization_id`)}) w
      where walk.step < ${sql.raw(String(WALK_LIMIT))}),
    d as materialized (select w.organization_id, w.step from walk w)`;
}

const PROGRESS = sql`(select count(*)::int from d) as walked,
      (select d.organization_id from d order by d.step desc limit 1) as last`;

/** Holds back the waiting turns of organizations behind `after` that may run none. Always answers one row. */
export function holdBack(after: string): Statement<SweepProgress> {
  return sql`
    with recursive ${organizationsWalk(W_WAITS, after)},
    held as (
      update message m set resting = true, rests_until = ${HELD_BACK}
      from (select w.organization_id, w.id
            from d cross join lateral (
              select w.organization_id, w.id from message w
              where w.organization_id = d.organization_id and ${W_WAITS}
              order by w.created_at, w.id limit ${TURNS_LIMIT} for no key update skip locked) w
            where ${organizationMayRunTurns('d')} is not true) w
      where m.organization_id = w.organization_id and m.id = w.id)
    select '{}'::uuid[] as "organizationIds", ${PROGRESS}`;
}

/** Requeues turns that may be claimed after all, of organizations behind `after`. Always answers one row. */
export function requeueMissed(after: string): Statement<SweepProgress> {
  return sql`
    with recursive ${organizationsWalk(W_HELD_BACK, after)},
    requeued as (
      update message m set resting = false, rests_until = null
      from (select h.organization_id, h.id
            from d cross join lateral (
              select h.organization_id, h.id from message h
              where h.organization_id = d.organization_id and ${H_HELD_BACK}
              order by h.created_at, h.id limit ${MAX_LIVE} for no key update skip locked) h
            where ${organizationMayRunTurns('d')}) h
      where m.organization_id = h.organization_id and m.id = h.id
      returning m.organization_id)
    select array(select distinct l.organization_id from requeued l) as "organizationIds", ${PROGRESS}`;
}
