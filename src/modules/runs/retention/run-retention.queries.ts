import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { isOneOf } from '../../../kernel/sql/index.ts';
import { ENDED_RUN_REQUEST_STATUSES, isEndedTask, isOpenTask } from '../../tasks/index.ts';
import type { IsCited } from './run-citations.port.ts';
import { ENDED_RUN_STATUSES } from '../run.state.ts';

/** Runs or requests that one statement finds and one transaction removes. */
export const RETENTION_LIMIT = 500;
/** Entries of logs that one statement removes. */
export const LOGS_LIMIT = 5_000;
/** Organizations that one statement asks whether they have something old. */
export const ORGANIZATIONS_LIMIT = 500;
const BATCH = sql.raw(String(RETENTION_LIMIT));

const quoted = (values: readonly string[]) => sql.raw(values.map((value) => `'${value}'`).join(', '));
const taskEnded = (alias: string) => sql.raw(isEndedTask(`${alias}.status`));

/** What may have rows past their time: a table in which a row that was made before that time has ended. */
const OLD = {
  run: {
    table: sql`run`,
    alias: sql`r`,
    statuses: quoted(ENDED_RUN_STATUSES),
    among: sql.raw(isOneOf('r.status', ENDED_RUN_STATUSES)),
    ended: sql`r.finished_at`,
  },
  run_request: {
    table: sql`run_request`,
    alias: sql`q`,
    statuses: quoted(ENDED_RUN_REQUEST_STATUSES),
    among: sql`true`,
    ended: sql`q.updated_at`,
  },
} as const;
type Table = keyof typeof OLD;

/** Whether a row is free to go but for its task. */
type IsUnused = (organizationId: Sql) => Sql;

/** Nothing names bytes of a run `r`. */
function isUncited(citations: readonly IsCited[]): IsUnused {
  return (organizationId) =>
    sql.join([sql`true`, ...citations.map((isCited) => sql`not ${isCited(organizationId, sql`r.id`)}`)], ' and ');
}

const hasNoRun: IsUnused = (organizationId) =>
  sql`not exists (select from run r where r.organization_id = ${organizationId} and r.run_request_id = q.id)`;

/** Ended rows of an organization before `cutoff`, the oldest of each status first. */
function oldRows(name: Table, organizationId: Sql, limit: Sql, more: Sql): Sql {
  const { table, alias, statuses, among, ended } = OLD[name];
  return sql`unnest(array[${statuses}]) as each(status) cross join lateral (
      select ${alias}.* from ${table} ${alias}
      where ${alias}.organization_id = ${organizationId} and ${alias}.status = each.status and ${among}
        and ${alias}.created_at > '-infinity' and ${alias}.created_at < p.cutoff and ${ended} < p.cutoff${more}
      order by ${alias}.created_at, ${alias}.id limit ${limit}) ${alias}`;
}

/** The time before which a row that ended is past its retention. */
function cutoff(months: number): Sql {
  return sql`(select clock_timestamp() - make_interval(months => ${months}::int) as cutoff offset 0) p`;
}

/** Organizations in the order of their ids, and whether they have anything old. */
export function organizationsBehind(after: string, months: number): Statement<{ id: string; hasOld: boolean }> {
  const oneOf = (name: Table) => sql`exists (select from ${oldRows(name, sql`o.id`, sql`1`, sql``)})`;
  return sql`
    select o.id, ${oneOf('run')} or ${oneOf('run_request')} as "hasOld"
    from (select id from organization where id > ${after}
          order by id limit ${sql.raw(String(ORGANIZATIONS_LIMIT))}) o cross join ${cutoff(months)}
    order by o.id`;
}

/**
 * Whether no open task needs the work of a task `t`: it has ended, and so have its parent, the tasks that depend on it,
 * and those that ask for its artifacts (`asked`).
 */
const NOT_NEEDED = sql`(${taskEnded('t')}
      and not exists (select from task parent
        where parent.organization_id = t.organization_id and parent.id = t.parent_id and not ${taskEnded('parent')})
      and not exists (select from task_dependency d
        join task u on u.organization_id = d.organization_id and u.id = d.task_id
        where d.organization_id = t.organization_id and d.depends_on_task_id = t.id and not ${taskEnded('u')})
      and not exists (select from asked where asked.task_id = t.id::text))`;

/** Tasks whose artifacts are inputs of others that have not ended, as a CTE. */
function asked(organizationId: Sql): Sql {
  return sql`asked as materialized (
      select distinct i->>'taskId' as task_id
      from task u cross join lateral jsonb_array_elements(
        case jsonb_typeof(u.spec->'inputs') when 'array' then u.spec->'inputs' else '[]' end) i
      where u.organization_id = ${organizationId} and ${sql.raw(isOpenTask('u.status'))} and i->>'kind' = 'artifact')`;
}

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
export function oldRuns(
  organizationId: string,
  months: number,
  citations: readonly IsCited[],
  after?: RetentionPosition,
): Statement<OldRun> {
  const organization = sql.value(organizationId);
  return sql`
    with ${asked(organization)}
    select r.id, r.created_at as "createdAt", r.task_id as "taskId",
      ${NOT_NEEDED} and ${isUncited(citations)(organization)} as removable,
      exists (select from run_artifact a where a.organization_id = ${organization} and a.run_id = r.id) as "hasArtifacts"
    from ${cutoff(months)}
    cross join ${oldRows('run', organization, BATCH, sql` and (r.created_at, r.id) > ${keyOf(after)}`)}
    join task t on t.organization_id = ${organization} and t.id = r.task_id
    order by r.created_at, r.id limit ${BATCH}`;
}

/** The oldest ended requests behind a position; those with runs go when these have gone. */
export function oldRequests(organizationId: string, months: number, after?: RetentionPosition): Statement<OldRow> {
  const organization = sql.value(organizationId);
  return sql`
    with ${asked(organization)}
    select q.id, q.created_at as "createdAt", q.task_id as "taskId",
      ${NOT_NEEDED} and ${hasNoRun(organization)} as removable
    from ${cutoff(months)}
    cross join ${oldRows('run_request', organization, BATCH, sql` and (q.created_at, q.id) > ${keyOf(after)}`)}
    join task t on t.organization_id = ${organization} and t.id = q.task_id
    order by q.created_at, q.id limit ${BATCH}`;
}

function keyOf(position: RetentionPosition | undefined): Sql {
  return sql`(${position?.createdAt ?? '-infinity'}, ${position?.id ?? FIRST_UUID})`;
}

/** Locks tasks, so that none is taken up again while its runs go. */
export function holdTasks(organizationId: string, taskIds: readonly string[]): Statement {
  return sql`
    select from task t where t.organization_id = ${organizationId} and t.id = any(${taskIds}::uuid[])
    order by t.id for share`;
}

/** Locks runs behind their tasks: who names bytes of one has locked it before, or finds it gone. */
export function holdRuns(organizationId: string, ids: readonly string[]): Statement {
  return sql`
    select from run r where r.organization_id = ${organizationId} and r.id = any(${ids}::uuid[]) order by r.id for update`;
}

/** The runs among these that no open task needs, and nothing that names them, asked again behind the locks. */
export function stillRemovableRuns(
  organizationId: string,
  ids: readonly string[],
  citations: readonly IsCited[],
): Statement<{ id: string }> {
  return stillRemovable('run', organizationId, ids, isUncited(citations));
}

/** The requests among these that no open task needs, asked again behind the tasks' locks. */
export function stillRemovableRequests(organizationId: string, ids: readonly string[]): Statement<{ id: string }> {
  return stillRemovable('run_request', organizationId, ids, hasNoRun);
}

function stillRemovable(
  name: Table,
  organizationId: string,
  ids: readonly string[],
  isUnused: IsUnused,
): Statement<{ id: string }> {
  const { table, alias } = OLD[name];
  const organization = sql.value(organizationId);
  return sql`
    with ${asked(organization)}
    select ${alias}.id
    from ${table} ${alias} join task t on t.organization_id = ${organization} and t.id = ${alias}.task_id
    where ${alias}.organization_id = ${organization} and ${alias}.id = any(${ids}::uuid[])
      and ${NOT_NEEDED} and ${isUnused(organization)}`;
}

/**
 * Removes entries that are left of the logs of runs, where logs are kept for longer than runs. It names the runs for the
 * log too, both times: a plan that does not know them may walk all logs of the organization.
 */
export function removeLogs(organizationId: string, ids: readonly string[]): Statement {
  const organization = sql.value(organizationId);
  const runs = sql.value(ids);
  return sql`
    delete from run_log l
    using (
      select g.run_id, g.run_month, g.sequence
      from run r join run_log g on g.organization_id = r.organization_id and g.run_id = r.id
        and g.run_month = date_trunc('month', r.created_at, 'UTC')
      where r.organization_id = ${organization} and r.id = any(${runs}::uuid[])
        and g.organization_id = ${organization} and g.run_id = any(${runs}::uuid[])
      limit ${sql.raw(String(LOGS_LIMIT))}) gone
    where l.organization_id = ${organization} and l.run_id = any(${runs}::uuid[])
      and l.run_id = gone.run_id and l.run_month = gone.run_month and l.sequence = gone.sequence
    returning 1`;
}

/** Removes runs, and before them the rows that refer to them. */
export function removeRuns(organizationId: string, ids: readonly string[]): Statement[] {
  return [
    removeRows(sql`run_outcome`, sql`run_id`, organizationId, ids),
    removeRows(sql`run_artifact`, sql`run_id`, organizationId, ids),
    removeRows(sql`run`, sql`id`, organizationId, ids),
  ];
}

export function removeRequests(organizationId: string, ids: readonly string[]): Statement {
  return removeRows(sql`run_request`, sql`id`, organizationId, ids);
}

function removeRows(table: Sql, column: Sql, organizationId: string, ids: readonly string[]): Statement {
  return sql`delete from ${table} where organization_id = ${organizationId} and ${column} = any(${ids}::uuid[])`;
}

export function runIsGone(organizationId: string, id: string): Statement<{ gone: boolean }> {
  return sql`
    select not exists (select from run where organization_id = ${organizationId} and id = ${id}) as gone`;
}
