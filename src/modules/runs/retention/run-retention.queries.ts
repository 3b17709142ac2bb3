import { type Statement, statement } from '../../../kernel/database/index.ts';
import { isOneOf } from '../../../kernel/sql/index.ts';
import { ENDED_RUN_REQUEST_STATUSES, isEndedTask, isOpenTask } from '../../tasks/index.ts';
import { ENDED_RUN_STATUSES } from '../run.state.ts';

/** So many runs or requests are looked at and removed at a time. */
export const RETENTION_LIMIT = 500;
/** So many entries of logs go at a time. */
export const LOGS_LIMIT = 5_000;
/** So many organizations are asked at once whether they have something old. */
export const ORGANIZATIONS_LIMIT = 500;

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
const TASK_ENDED = (alias: string) => isEndedTask(`${alias}.status`);

/** What may have rows past their time: a table in which a row that was made so long ago has ended. */
const OLD = {
  run: {
    alias: 'r',
    statuses: ENDED_RUN_STATUSES,
    among: isOneOf('r.status', ENDED_RUN_STATUSES),
    ended: 'r.finished_at',
    unused: 'true',
  },
  run_request: {
    alias: 'q',
    statuses: ENDED_RUN_REQUEST_STATUSES,
    among: 'true',
    ended: 'q.updated_at',
    unused: 'not exists (select from run r where r.organization_id = $1 and r.run_request_id = q.id)',
  },
} as const;
type Table = keyof typeof OLD;

/** Ended rows of an organization before `cutoff`, the oldest of each status first. */
function oldRows(table: Table, organizationId: string, limit: string, more: string): string {
  const { alias, statuses, among, ended } = OLD[table];
  return `unnest(array[${quoted(statuses)}]) as each(status) cross join lateral (
    select ${alias}.* from ${table} ${alias}
    where ${alias}.organization_id = ${organizationId} and ${alias}.status = each.status and ${among}
      and ${alias}.created_at > '-infinity' and ${alias}.created_at < p.cutoff and ${ended} < p.cutoff ${more}
    order by ${alias}.created_at, ${alias}.id limit ${limit}) ${alias}`;
}

/** The time before which what ended is past its retention of `months`. */
const cutoff = (months: string) =>
  `(select clock_timestamp() - make_interval(months => ${months}::int) as cutoff offset 0) p`;

/** Organizations in the order of their ids, and whether they have anything old. */
export function organizationsBehind(after: string, months: number): Statement<{ id: string; hasOld: boolean }> {
  return statement(
    `select o.id, exists (select from ${oldRows('run', 'o.id', '1', '')})
       or exists (select from ${oldRows('run_request', 'o.id', '1', '')}) as "hasOld"
     from (select id from organization where id > $1 order by id limit ${ORGANIZATIONS_LIMIT}) o cross join ${cutoff('$2')}
     order by o.id`,
    after,
    months,
  );
}

/**
 * Whether nothing that goes on needs the work of a task `t`: it has ended, and so have its parent, what depends on it, and what
 * asks for its artifacts (`asked`).
 */
const NOT_NEEDED = `(${TASK_ENDED('t')}
  and not exists (select from task parent where parent.organization_id = t.organization_id and parent.id = t.parent_id
    and not ${TASK_ENDED('parent')})
  and not exists (select from task_dependency d join task u on u.organization_id = d.organization_id and u.id = d.task_id
    where d.organization_id = t.organization_id and d.depends_on_task_id = t.id and not ${TASK_ENDED('u')})
  and not exists (select from asked where asked.task_id = t.id::text))`;

/** Tasks whose artifacts are inputs of others that have not ended. */
const ASKED = `asked as materialized (
  select distinct i->>'taskId' as task_id
  from task u cross join lateral jsonb_array_elements(
    case jsonb_typeof(u.spec->'inputs') when 'array' then u.spec->'inputs' else '[]' end) i
  where u.organization_id = $1 and ${isOpenTask('u.status')} and i->>'kind' = 'artifact')`;

export interface OldRow {
  readonly id: string;
  readonly createdAt: string;
  readonly taskId: string;
  readonly removable: boolean;
}

export type RetentionPosition = Pick<OldRow, 'id' | 'createdAt'>;

export interface OldRun extends OldRow {
  readonly hasArtifacts: boolean;
}

/** The oldest ended runs behind a position, those that are still needed too. */
export function oldRuns(organizationId: string, months: number, after?: RetentionPosition): Statement<OldRun> {
  return statement(
    `with ${ASKED}
     select r.id, r.created_at as "createdAt", r.task_id as "taskId", ${NOT_NEEDED} as removable,
       exists (select from run_artifact a where a.organization_id = $1 and a.run_id = r.id) as "hasArtifacts"
     from ${cutoff('$2')} cross join ${oldRows('run', '$1', String(RETENTION_LIMIT), 'and (r.created_at, r.id) > ($3, $4)')}
     join task t on t.organization_id = $1 and t.id = r.task_id
     order by r.created_at, r.id limit ${RETENTION_LIMIT}`,
    organizationId,
    months,
    after?.createdAt ?? '-infinity',
    after?.id ?? '00000000-0000-0000-0000-000000000000',
  );
}

/** The oldest ended requests behind a position; those with runs go when these have gone. */
export function oldRequests(organizationId: string, months: number, after?: RetentionPosition): Statement<OldRow> {
  return statement(
    `with ${ASKED}
     select q.id, q.created_at as "createdAt", q.task_id as "taskId", ${NOT_NEEDED} and ${OLD.run_request.unused} as removable
     from ${cutoff('$2')} cross join ${oldRows('run_request', '$1', String(RETENTION_LIMIT), 'and (q.created_at, q.id) > ($3, $4)')}
     join task t on t.organization_id = $1 and t.id = q.task_id
     order by q.created_at, q.id limit ${RETENTION_LIMIT}`,
    organizationId,
    months,
    after?.createdAt ?? '-infinity',
    after?.id ?? '00000000-0000-0000-0000-000000000000',
  );
}

/** Tasks that may not be taken up again while their runs go. */
export function holdTasks(organizationId: string, taskIds: readonly string[]): Statement {
  return statement(
    `select from task t where t.organization_id = $1 and t.id = any($2::uuid[]) order by t.id for share`,
    organizationId,
    taskIds,
  );
}

/** Which of these rows nothing needs, asked again behind the tasks' locks. */
export function stillRemovable(
  table: Table,
  organizationId: string,
  ids: readonly string[],
): Statement<{ id: string }> {
  const { alias, unused } = OLD[table];
  return statement(
    `with ${ASKED}
     select ${alias}.id from ${table} ${alias} join task t on t.organization_id = $1 and t.id = ${alias}.task_id
     where ${alias}.organization_id = $1 and ${alias}.id = any($2::uuid[]) and ${NOT_NEEDED} and ${unused}`,
    organizationId,
    ids,
  );
}

/** What is left of the logs of runs, where logs are kept for longer than runs. */
export function removeLogs(organizationId: string, ids: readonly string[]): Statement {
  return statement(
    `delete from run_log where (ctid, tableoid) in (
       select l.ctid, l.tableoid from run r join run_log l on l.organization_id = r.organization_id and l.run_id = r.id
         and l.run_month = date_trunc('month', r.created_at, 'UTC')
       where r.organization_id = $1 and r.id = any($2::uuid[]) limit ${LOGS_LIMIT})
     returning 1`,
    organizationId,
    ids,
  );
}

/** What hangs on runs, and then they. */
export function removeRuns(organizationId: string, ids: readonly string[]): Statement[] {
  return ['run_outcome.run_id', 'run_artifact.run_id', 'run.id'].map((each) => {
    const [table, column] = each.split('.') as [string, string];
    return removeRows(table, column, organizationId, ids);
  });
}

export function removeRequests(organizationId: string, ids: readonly string[]): Statement {
  return removeRows('run_request', 'id', organizationId, ids);
}

function removeRows(table: string, column: string, organizationId: string, ids: readonly string[]): Statement {
  return statement(
    `delete from ${table} where organization_id = $1 and ${column} = any($2::uuid[])`,
    organizationId,
    ids,
  );
}

export function runIsGone(organizationId: string, id: string): Statement<{ gone: boolean }> {
  return statement(
    `select not exists (select from run where organization_id = $1 and id = $2) as gone`,
    organizationId,
    id,
  );
}
