import type { ExecutionKind, ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { columns, sql, type Sql, type Statement } from '../../kernel/database/index.ts';
import { type CursorCodec, Filters, invalidCursor, KeysetList } from '../../kernel/pagination/index.ts';
import type { ChatRef } from '../chats/index.ts';
import type { DurabilityListQuery, DurabilityRowDto, PutDurabilityRowDto } from './durability.dto.ts';
import { isDurabilityKey, normalizeKey } from './durability-key.ts';
import { NAMESPACES, type Namespace } from './durability.state.ts';

const select = columns<DurabilityRowDto>({
  organizationId: 'd.organization_id',
  namespace: 'd.namespace',
  key: 'd.key',
  kind: 'd.kind',
  version: 'd.version',
  payload: 'd.payload',
  sourceRunId: 'd.source_run_id',
  expiresAt: 'd.expires_at',
  createdAt: 'd.created_at',
  updatedAt: 'd.updated_at',
});

/** A deleted row is gone at once, and so is an expired one, whether or not the job that removes it has come by. */
const CURRENT = sql`(d.deleted_at is null and (d.expires_at is null or d.expires_at > clock_timestamp()))`;

/** A deleted chat is gone at once, whether or not its purge has come by. */
const STANDING = sql`(d.namespace <> 'chat' or not exists (select from chat c
  where c.organization_id = d.organization_id and c.id = left(d.key, 36)::uuid and c.deleted_at is not null))`;

/** The keys of an id; what begins with it sorts before what begins with the next character. */
function keysOf(id: Sql): Sql {
  return sql`d.key >= ${id} and d.key < ${id} || '/'`;
}

/** The spec's plain form: `<namespace>:<key>` of the last row. */
const rowCursor: CursorCodec = {
  encode: ([namespace, key]) => `${namespace}:${key}`,
  decode(cursor) {
    const [namespace = '', ...rest] = cursor.split(':');
    const key = rest.join(':');
    if (!NAMESPACES.some((each) => each === namespace) || !isDurabilityKey(key))
      throw invalidCursor('must be <namespace>:<key>');
    return [namespace, normalizeKey(key)];
  },
};

export function durabilityRows(organizationId: string, query: DurabilityListQuery): KeysetList<DurabilityRowDto> {
  const filters = new Filters()
    .equals('d.organization_id', organizationId)
    .oneOf('d.namespace', query.namespace)
    .between('d.updated_at', query.updatedAfter, query.updatedBefore);
  return new KeysetList<DurabilityRowDto>(
    {
      select,
      from: 'durability_row d',
      where: [...filters.where, CURRENT, STANDING],
      wide: ['d.payload'],
      // The primary key; `chat` and `task` stand in the same order in every collation.
      sortBy: [
        { sql: 'd.namespace', type: 'text', of: ({ namespace }) => namespace },
        { sql: 'd.key', type: 'text', of: ({ key }) => key },
      ],
      cursor: rowCursor,
    },
    query,
  );
}

export interface RowKey {
  readonly organizationId: string;
  readonly namespace: Namespace;
  readonly key: string;
}

const isRow = ({ organizationId, namespace, key }: RowKey) =>
  sql`d.organization_id = ${organizationId} and d.namespace = ${namespace} and d.key = ${key}`;

export function durabilityRow(row: RowKey): Statement<DurabilityRowDto> {
  return sql`select ${select} from durability_row d where ${isRow(row)} and ${CURRENT} and ${STANDING}`;
}

/** Whether an instant has passed, by the database's clock. */
export function whetherPast(instant: string): Statement<{ isPast: boolean }> {
  return sql`select ${instant}::timestamptz <= clock_timestamp() as "isPast"`;
}

/** Makes a row where there is none, or only an expired or deleted one, whose versions go on; answers none otherwise. */
export function createRow(
  { organizationId, namespace, key }: RowKey,
  { kind, payload, expiresAt }: PutDurabilityRowDto,
  sourceRunId: string | null,
): Statement<DurabilityRowDto> {
  return sql`
    insert into durability_row as d (organization_id, namespace, key, kind, version, payload, source_run_id, expires_at)
    values (${organizationId}, ${namespace}, ${key}, ${kind}, 1, ${JSON.stringify(payload)}::jsonb, ${sourceRunId},
            ${expiresAt ?? null})
    on conflict (organization_id, namespace, key) do update
      set kind = excluded.kind, version = d.version + 1, payload = excluded.payload, source_run_id = excluded.source_run_id,
          expires_at = excluded.expires_at, deleted_at = null, created_at = excluded.created_at, updated_at = excluded.updated_at
      where not ${CURRENT}
    returning ${select}`;
}

/** Replaces a row of the expected version; answers none otherwise. */
export function replaceRow(
  row: RowKey,
  { kind, payload, expiresAt, expectedVersion }: PutDurabilityRowDto,
  sourceRunId: string | null,
): Statement<DurabilityRowDto> {
  return sql`
    update durability_row d set kind = ${kind}, version = d.version + 1, payload = ${JSON.stringify(payload)}::jsonb,
      source_run_id = ${sourceRunId}, expires_at = ${expiresAt ?? null}, updated_at = clock_timestamp()
    where ${isRow(row)} and d.version = ${expectedVersion} and ${CURRENT}
    returning ${select}`;
}

/** Leaves its version behind, so that what was read before the deletion never fits a row that is made later. */
export function deleteRow(key: RowKey, expectedVersion: number): Statement<DurabilityRowDto> {
  const deleted = sql.shared(isRow(key));
  return sql`
    with row as materialized (
      select d.*, clock_timestamp() as now from durability_row d
      where ${deleted} and d.version = ${expectedVersion} and ${CURRENT}
      for no key update),
    emptied as (
      update durability_row d set deleted_at = row.now, payload = '{}', expires_at = null, source_run_id = null from row
      where ${deleted})
    select ${select} from row d`;
}

const ONE_PURGE = sql`select pg_advisory_xact_lock(hashtext('durability purge'))`;

const longAgo = (column: Sql, days: Sql) => sql`${column} < clock_timestamp() - make_interval(days => ${days}::int)`;

/**
 * Empties rows that expired `days` ago, in all organizations, and keeps only their versions. Purges go one at a
 * time, and a row that is written again meanwhile stays.
 */
export function emptyExpired(days: number, limit: number): readonly [Statement, Statement] {
  const expired = longAgo(sql`expires_at`, sql.value(days));
  return [
    ONE_PURGE,
    sql`
      update durability_row set deleted_at = expires_at, payload = '{}', expires_at = null, source_run_id = null
      where ${expired} and (organization_id, namespace, key) in (
        select organization_id, namespace, key from durability_row where ${expired} order by expires_at limit ${limit})
      returning 1`,
  ];
}

/** Forgets the versions of keys that were deleted `days` ago. */
export function forgetVersions(days: number, limit: number): readonly [Statement, Statement] {
  const gone = longAgo(sql`deleted_at`, sql.value(days));
  return [
    ONE_PURGE,
    sql`
      delete from durability_row where ${gone} and (organization_id, namespace, key) in (
        select organization_id, namespace, key from durability_row where ${gone} order by deleted_at limit ${limit})
      returning 1`,
  ];
}

/** As a part of the purge of a chat. */
export function removeRowsOfChat({ organizationId, id }: ChatRef, limit: number): Statement {
  const organization = sql.value(organizationId);
  const keys = keysOf(sql`${sql.value(id)}::text`);
  return sql`
    delete from durability_row r where r.organization_id = ${organization} and r.namespace = 'chat' and r.key in (
      select d.key from durability_row d
      where d.organization_id = ${organization} and d.namespace = 'chat' and ${keys} limit ${limit})
    returning 1`;
}

/** What an execution is bound to, as `namespace` and `id`: the task that a run works on, the chat of a turn. */
const BOUND: Readonly<Record<ExecutionKind, (organizationId: string, id: string) => Sql>> = {
  task_run: (organizationId, id) => sql`(select r.organization_id, 'task' as namespace, r.task_id::text as id from run r
    where r.organization_id = ${organizationId} and r.id = ${id})`,
  chat_turn: (organizationId, id) =>
    sql`(select m.organization_id, 'chat' as namespace, m.chat_id::text as id from message m
    where m.organization_id = ${organizationId} and m.id = ${id})`,
};

/** A row of what an execution is bound to. */
export function boundRow(
  { execution, executionId }: ExecutionPrincipal,
  { organizationId, namespace, key }: RowKey,
): Statement<DurabilityRowDto> {
  return sql`
    select ${select} from ${BOUND[execution](organizationId, executionId)} bound
    join durability_row d on d.organization_id = bound.organization_id and d.namespace = bound.namespace
    where d.namespace = ${namespace} and d.key = ${key} and left(d.key, 36) = bound.id and ${CURRENT}`;
}

/** How many keys a manifest names. */
const MAX_KEYS = 200;

/** The keys of what an execution is bound to. */
export function checkpointsOf({ organizationId, execution, executionId }: ExecutionPrincipal): Statement {
  return sql`
    select d.namespace, d.key, d.version from ${BOUND[execution](organizationId, executionId)} bound
    join durability_row d on d.organization_id = bound.organization_id and d.namespace = bound.namespace
      and ${keysOf(sql`bound.id`)}
    where ${CURRENT}
    order by d.key limit ${sql.raw(String(MAX_KEYS))}`;
}
