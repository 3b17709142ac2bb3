import { ApiError, EdgeErrors, type ErrorRow } from '../errors/index.ts';
import type { Lane, Line } from '../admission/index.ts';
import { Roles } from './roles.ts';
import { type Statement, statement } from '../sql/index.ts';

/**
 * The statements that put a transaction into its context. Row-level security reads `app.subject` and `app.org`; the role
 * has no way around it. They name the directory (who belongs where) and the activity row of the administrator.
 */

/** The subject of the deployment's administrator, who is a member of every organization. */
export const BOOTSTRAP = 'bootstrap';

/** Set in each transaction rather than as start-up parameters, which transaction poolers refuse. */
const STATEMENT_TIMEOUT = '10s';
const TRANSACTION_TIMEOUT = '20s';
const SHARED_LOCK_TIMEOUT = '100ms';

/**
 * No table is read as a whole where an index leads to the rows: a connection keeps its plans, and one that was made while
 * tables held a few rows goes on when there are many, until they are analyzed (measured: a list of 50 of 20,000 tasks took
 * 2.3 s, with indexes 0.7 ms).
 */
const BY_INDEX = `set_config('enable_seqscan', 'off', true)`;

const PLANNED_ONCE = `set_config('plan_cache_mode', 'force_generic_plan', true)`;

/** Texts that may begin a transaction. */
const FIRST = new Set<string>();

function first(text: string): string {
  FIRST.add(text);
  return text;
}

/**
 * Refuses statements of which the first does not put the transaction into its context. It touches no table either: on an
 * engine that shards by organization the first statement of a pipeline is a transaction of its own.
 */
export function requireContext([statement]: readonly Statement[]): void {
  if (!statement || !FIRST.has(statement.text))
    throw new TypeError(`A transaction begins outside any context: ${statement?.text ?? 'with nothing'}`);
}

const TAKE_ROLE = `select set_config('role', '${Roles.app}', true), set_config('app.subject', $1, true), set_config('app.org', $2, true),
  ${BY_INDEX},
  set_config('statement_timeout', '${STATEMENT_TIMEOUT}', true), set_config('transaction_timeout', '${TRANSACTION_TIMEOUT}', true)`;
const TAKE_APP = first(TAKE_ROLE);
const TAKE_APP_TO_READ = first(`${TAKE_ROLE}, ${PLANNED_ONCE}`);

/**
 * Takes the application's role for one subject: inside no organization yet, or inside one that the caller vouches for (it
 * is about to be created, or what follows confirms it).
 */
export function asSubject(subject: string, organizationId = ''): Statement {
  return statement(TAKE_APP, subject, organizationId);
}

/**
 * The same for reads. Their plans are made once a connection: with values at hand a list would be planned each time, since
 * its limit is one of them, to the same plan (measured for the tasks': 0.5 ms against 0.4 ms for the rows).
 */
function asReader(subject: string): Statement {
  return statement(TAKE_APP_TO_READ, subject, '');
}

export type EnteredOrganization = { readonly status: string };

/**
 * Enters an organization if the subject belongs to it and it is not being deleted; answers no row otherwise, and the
 * transaction then sees nothing of any organization. Membership and status are read here, in the request's own round
 * trip, so that a removed member or a deleted organization is gone at once on every replica. A function of the tables'
 * owner reads them: policies on the directory, which look at each other, cost twice as much.
 */
export function enter(subject: string, organizationId: string): Statement<EnteredOrganization> {
  if (subject === BOOTSTRAP)
    return statement(
      `select set_config('app.org', o.id::text, true), o.status from organization o where o.id = $1 and o.status <> 'deleting'`,
      organizationId,
    );
  return statement(
    `select set_config('app.org', $2::uuid::text, true), m.status
     from (select membership_status($1, $2::uuid) as status offset 0) m where m.status is not null`,
    subject,
    organizationId,
  );
}

/**
 * Enters as the administrator and counts it: every use stands in the organization's activity log, as one row a minute.
 * The row stays locked until the commit, so this is for transactions that end in the same round trip. It counts up a row
 * that one minute shares, so it is no case of the statement that appends to the log (module organizations), which the
 * kernel does not know.
 */
export function enterCounted(organizationId: string): Statement<EnteredOrganization> {
  return statement(
    `with entered as materialized (
       select set_config('app.org', o.id::text, true) as org, o.id, o.name, o.status
       from organization o where o.id = $1 and o.status <> 'deleting')
     insert into activity (organization_id, id, at, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label, details)
     select e.id, md5(e.org || minute)::uuid, minute, 'owner', '${BOOTSTRAP}', '${BOOTSTRAP}',
            'bootstrap.used', 'organization', e.org, e.name, '{"count": 1}'
     from entered e, date_trunc('minute', clock_timestamp()) minute
     on conflict (organization_id, at, id)
     do update set details = jsonb_build_object('count', (activity.details->>'count')::bigint + 1)
     returning (select status from entered)`,
    organizationId,
  );
}

/** How a caller gets into one organization: statements that go before its own, and what their rows mean. */
export interface OrganizationAccess {
  /** Where a call waits for its connection. */
  readonly line: Line;
  readonly statements: readonly Statement[];
  /** Throws where the caller is not let in. `sets` are the rows of `statements`, one list each. */
  admit(sets: readonly unknown[][]): void;
  /** The answer to a write that was in flight while the organization was purged, and misses what it references. */
  readonly gone: ErrorRow;
}

/** An owner's way in: 404 `organization_not_found` for those who do not belong to it. */
export function ownerAccess(
  subject: string,
  organizationId: string,
  options: { counted: boolean },
): OrganizationAccess {
  const enters = options.counted ? enterCounted(organizationId) : enter(subject, organizationId);
  return {
    line: { lane: 'ordinary', key: organizationId },
    statements: [asReader(subject), enters],
    admit([, entered = []]) {
      if (entered.length === 0) throw new ApiError(EdgeErrors.organizationNotFound);
    },
    gone: EdgeErrors.organizationNotFound,
  };
}

/**
 * An owner's way in to write: 409 besides while the organization is being onboarded, unless the write is one of those that
 * onboarding permits. The administrator's use is counted by whoever opens it.
 */
export function ownerWriteAccess(subject: string, organizationId: string, options: WriteOptions): OrganizationAccess {
  const access = ownerAccess(subject, organizationId, { counted: false });
  return {
    ...access,
    admit(sets) {
      access.admit(sets);
      admitWrite(sets[1]![0] as EnteredOrganization, options);
    },
  };
}

export interface WriteOptions {
  readonly whileOnboarding?: boolean;
}

export function admitWrite({ status }: EnteredOrganization, { whileOnboarding = false }: WriteOptions): void {
  if (status === 'onboarding' && !whileOnboarding)
    throw new ApiError(EdgeErrors.stateConflict, { message: 'The organization is still being onboarded.' });
}

/**
 * The way into an organization that a trusted caller names. `confirm` runs inside it and sets `app.org` to '' again unless
 * everything holds, so that statements behind it in one batch see nothing; `admit` throws what its rows then mean.
 */
export function confirmedAccess<Row>(
  organizationId: string,
  confirm: Statement<Row>,
  admit: (rows: readonly Row[]) => void,
  gone: ErrorRow,
  lane: Lane,
): OrganizationAccess {
  return {
    line: { lane, key: organizationId },
    statements: [asSubject('', organizationId), confirm],
    admit: ([, rows]) => admit(rows as Row[]),
    gone,
  };
}

/**
 * The way into an active organization that a runtime names by its lease, or a job by the row that it found. `refusal` is
 * the answer when there is no such organization, or it is being deleted or onboarded. By the urgent lane, unless no lease
 * hangs on it.
 */
export function activeAccess(organizationId: string, refusal: ErrorRow, lane: Lane = 'urgent'): OrganizationAccess {
  return accessWhile(`o.status = 'active'`, organizationId, refusal, lane);
}

/** The way into an organization for what reads on behalf of several who were let in before; refused once it is deleted. */
export function standingAccess(organizationId: string, refusal: ErrorRow): OrganizationAccess {
  return accessWhile(`o.status <> 'deleting'`, organizationId, refusal, 'ordinary');
}

function accessWhile(condition: string, organizationId: string, refusal: ErrorRow, lane: Lane): OrganizationAccess {
  const confirm = statement<{ entered: string }>(
    `select set_config('app.org', coalesce((select o.id::text from organization o where o.id = $1 and ${condition}), ''), true) as "entered"`,
    organizationId,
  );
  const admit = ([confirmed]: readonly { entered: string }[]) => {
    if (!confirmed?.entered) throw new ApiError(refusal);
  };
  return confirmedAccess(organizationId, confirm, admit, refusal, lane);
}

export interface Planning {
  /** One plan a connection for whatever values, where the server would by itself plan a statement anew each time. */
  readonly plannedOnce?: boolean;
}

const TAKE_DISPATCH = first(`select set_config('role', '${Roles.dispatch}', true), ${BY_INDEX},
  set_config('statement_timeout', '${STATEMENT_TIMEOUT}', true)`);
const TAKE_DISPATCH_PLANNED_ONCE = first(`${TAKE_DISPATCH}, ${PLANNED_ONCE}`);

/** Takes the cross-organization role. */
export function asDispatch({ plannedOnce = false }: Planning = {}): Statement {
  return statement(plannedOnce ? TAKE_DISPATCH_PLANNED_ONCE : TAKE_DISPATCH);
}

const TAKE_DISPATCH_SHARED =
  first(`select set_config('role', '${Roles.dispatch}', true), set_config('lock_timeout', $1, true),
            ${PLANNED_ONCE}, ${BY_INDEX},
            set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
            set_config('statement_timeout', '${STATEMENT_TIMEOUT}', true), set_config('transaction_timeout', '${TRANSACTION_TIMEOUT}', true)`);

/**
 * Takes the cross-organization role for calls that share a transaction. They wait for no lock for long, since whoever
 * holds it would hold up all of them; one that is alone waits as any other. Their statements go by keys alone, so plans
 * are made once a connection (planning costs more than running) and only of index scans in nested loops: statistics of a
 * moment when little was open must not turn them into walks over all that is open later.
 */
export function sharing({ alone }: { readonly alone: boolean }): Statement {
  return statement(TAKE_DISPATCH_SHARED, alone ? '0' : SHARED_LOCK_TIMEOUT);
}
