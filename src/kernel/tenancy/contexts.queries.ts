import { roleFor } from '../principals/index.ts';
import { type Sql, sql, type Statement } from '../sql/index.ts';
import type { Entrant } from './rights.ts';
import { Roles } from './roles.ts';

/**
 * The statements that put a transaction into its context. Row-level security reads `app.subject` and `app.org`, and the
 * role cannot bypass it. The statements read the directory (which subject belongs to which organization) and write the
 * activity row of the administrator.
 *
 * Settings go by `set_config`, although an engine that shards by organization forwards only `SET LOCAL`: a function that
 * runs SET LOCAL for each adds 12 µs to a single read (measured: 134 µs, against 122), in each transaction of the service.
 */

/** The subject of the deployment's administrator, a member of every organization. */
export const BOOTSTRAP = 'bootstrap';

/** Set in each transaction rather than as start-up parameters, which transaction poolers refuse. */
const STATEMENT_TIMEOUT = sql`set_config('statement_timeout', '10s', true)`;
const TRANSACTION_TIMEOUT = sql`set_config('transaction_timeout', '20s', true)`;
const SHARED_LOCK_TIMEOUT = '100ms';

/**
 * Never reads a whole table where an index leads to the rows. A connection keeps its plans, also one that it made while a
 * table held few rows, until the table is analyzed (measured: a list of 50 of 20,000 tasks took 2.3 s, by index 0.7 ms).
 */
const BY_INDEX = sql`set_config('enable_seqscan', 'off', true)`;

const PLANNED_ONCE = sql`set_config('plan_cache_mode', 'force_generic_plan', true)`;

/** How statements are planned, and how long they and their transaction may take. */
const BOUNDS = sql`${BY_INDEX}, ${STATEMENT_TIMEOUT}, ${TRANSACTION_TIMEOUT}`;

const APP_ROLE = sql`set_config('role', '${sql.raw(Roles.app)}', true)`;
const DISPATCH_ROLE = sql`set_config('role', '${sql.raw(Roles.dispatch)}', true)`;

/**
 * Takes the application's role for one subject: outside any organization, or inside one that the caller vouches for
 * (because it creates the organization, or a later statement confirms it).
 */
export function asSubject(subject: string, organizationId = ''): Sql {
  return sql`
    select ${APP_ROLE}, set_config('app.subject', ${subject}, true), set_config('app.org', ${organizationId}, true), ${BOUNDS}`;
}

/**
 * Takes the application's role for reads, with plans made once per connection. Otherwise the server would plan a list
 * for each call, because its limit is a value, and always get the same plan (measured for the list of tasks: 0.5 ms for
 * planning, 0.4 ms for the rows).
 */
export function asReader(subject: string): Statement {
  return sql`${asSubject(subject)}, ${PLANNED_ONCE}`;
}

export type EnteredOrganization = {
  readonly status: string;
  /** Whether the member's role permits what it is about to do; if not, the transaction is in no organization. */
  readonly permitted: boolean;
};

/**
 * Enters an organization if the subject belongs to it and it is not being deleted; otherwise returns no row, and the
 * transaction sees nothing of any organization. Reads membership, role and status in the request's own round trip, so that
 * a removed or demoted member or a deleted organization loses access at once on every replica. Uses a function of the
 * tables' owner, because policies on the directory tables, which depend on each other, cost twice as much.
 */
export function enter({ subject, scope }: Entrant, organizationId: string): Statement<EnteredOrganization> {
  if (subject === BOOTSTRAP)
    return sql`
      select set_config('app.org', o.id::text, true), o.status, true as permitted from organization o
      where o.id = ${organizationId} and o.status <> 'deleting'`;
  const id = sql.value(organizationId);
  return sql`
    select set_config('app.org', case when m.permitted then ${id}::uuid::text else '' end, true), m.status, m.permitted
    from (
      select (e.member).status, (e.member).role = 'owner' or ${roleFor(scope) === 'viewer'}::boolean as permitted
      -- Not in FROM, where it costs 4 µs more.
      from (select entering_member(${subject}, ${id}::uuid) as member offset 0) e offset 0) m
    where m.status is not null`;
}

/**
 * Enters as the administrator and counts the use in the organization's activity log, in one row per minute. The row
 * stays locked until the commit, so use this only in transactions that end in the same round trip. Has its own
 * statement, because the kernel does not know the module organizations. That module's statement would not do either: it
 * only appends rows.
 */
export function enterCounted(organizationId: string): Statement<EnteredOrganization> {
  const bootstrap = sql.raw(BOOTSTRAP);
  return sql`
    -- enters
    with entered as materialized (
      select set_config('app.org', o.id::text, true) as org, o.id, o.name, o.status
      from organization o where o.id = ${organizationId} and o.status <> 'deleting')
    -- counts in the row of this minute
    insert into activity (organization_id, id, at, actor_kind, actor_id, actor_name, verb,
      subject_kind, subject_id, subject_label, details)
    select e.id, md5(e.org || minute)::uuid, minute, 'owner', '${bootstrap}', '${bootstrap}', 'bootstrap.used',
      'organization', e.org, e.name, '{"count": 1}'
    from entered e, date_trunc('minute', clock_timestamp()) minute
    on conflict (organization_id, at, id)
    do update set details = jsonb_build_object('count', (activity.details->>'count')::bigint + 1)
    returning (select status from entered), true as permitted`;
}

export interface Confirmed {
  /** The organization; empty where the condition does not hold. */
  readonly entered: string;
}

/** Enters an organization (`o` in the condition) if the condition holds; otherwise enters none. */
export function enterWhile(condition: Sql, organizationId: string): Statement<Confirmed> {
  return sql`
    select set_config('app.org', coalesce(
      (select o.id::text from organization o where o.id = ${organizationId} and ${condition}), ''), true) as "entered"`;
}

export interface Planning {
  /** Makes one plan per connection for any values, where the server would plan the statement each time. */
  readonly plannedOnce?: boolean;
}

/** Takes the cross-organization role. */
export function asDispatch({ plannedOnce = false }: Planning = {}): Statement {
  const role = sql`select ${DISPATCH_ROLE}, ${BY_INDEX}, ${STATEMENT_TIMEOUT}`;
  return plannedOnce ? sql`${role}, ${PLANNED_ONCE}` : role;
}

/**
 * Takes the cross-organization role for calls that share a transaction. Limits their wait for a lock to 100 ms, because
 * its holder would delay all of them; a call that is alone waits like any other. Their statements find rows only by
 * keys, so each connection plans them once (planning costs more than running) and only as index scans in nested loops:
 * statistics of a moment with few open rows must not lead to plans that scan all rows that are open later.
 */
export function sharing({ alone }: { readonly alone: boolean }): Statement {
  return sql`
    select ${DISPATCH_ROLE}, set_config('lock_timeout', ${alone ? '0' : SHARED_LOCK_TIMEOUT}, true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      ${PLANNED_ONCE}, ${BOUNDS}`;
}

/** Texts of statements that may begin a transaction. */
const FIRST = new Set(
  [asSubject(''), asReader(''), asDispatch(), asDispatch({ plannedOnce: true }), sharing({ alone: true })].map(
    ({ text }) => text,
  ),
);

/**
 * Refuses a pipeline whose first statement does not put the transaction into its context. That statement must touch no
 * table either, because on an engine that shards by organization the first statement of a pipeline is a transaction of
 * its own.
 */
export function requireContext([statement]: readonly Statement[]): void {
  if (!statement || !FIRST.has(statement.text))
    throw new TypeError(`A transaction begins outside any context: ${statement?.text ?? 'with nothing'}`);
}
