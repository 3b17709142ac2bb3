import type { ExecutionKind, ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { columns, type Statement, statement, Values } from '../../kernel/database/index.ts';
import { type CursorCodec, Filters, invalidCursor, KeysetList } from '../../kernel/pagination/index.ts';
import type { ContentsOf } from '../chats/index.ts';
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
const CURRENT = '(d.deleted_at is null and (d.expires_at is null or d.expires_at > clock_timestamp()))';

/** A deleted chat is gone at once, whether or not its purge has come by. */
const STANDING = `(d.namespace <> 'chat' or not exists (select from chat c
  where c.organization_id = d.organization_id and c.id = left(d.key, 36)::uuid and c.deleted_at is not null))`;

/** The keys of an id; what begins with it sorts before what begins with the next character. */
function keysOf(id: string): string {
  return `d.key >= ${id} and d.key < ${id} || '/'`;
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
  const values = new Values();
  const filters = new Filters(values)
    .equals('d.organization_id', organizationId)
    .oneOf('d.namespace', query.namespace)
    .between('d.updated_at', query.updatedAfter, query.updatedBefore);
  return new KeysetList<DurabilityRowDto>(
    {
      select,
      from: 'durability_row d',
      where: [...filters.where, CURRENT, STANDING],
      values,
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

export function durabilityRow({ organizationId, namespace, key }: RowKey): Statement<DurabilityRowDto> {
  return statement(
    `select ${select} from durability_row d
     where d.organization_id = $1 and d.namespace = $2 and d.key = $3 and ${CURRENT} and ${STANDING}`,
    organizationId,
    namespace,
    key,
  );
}

/** Makes a row where there is none, or only an expired or deleted one, whose versions go on; answers none otherwise. */
export function createRow(
  { organizationId, namespace, key }: RowKey,
  { kind, payload, expiresAt }: PutDurabilityRowDto,
  sourceRunId: string | null,
): Statement<DurabilityRowDto> {
  return statement(
    `insert into durability_row as d (organization_id, namespace, key, kind, version, payload, source_run_id, expires_at)
     values ($1, $2, $3, $4, 1, $5::jsonb, $6, $7)
     on conflict (organization_id, namespace, key) do update
       set kind = excluded.kind, version = d.version + 1, payload = excluded.payload, source_run_id = excluded.source_run_id,
           expires_at = excluded.expires_at, deleted_at = null, created_at = excluded.created_at, updated_at = excluded.updated_at
       where not ${CURRENT}
     returning ${select}`,
    organizationId,
    namespace,
    key,
    kind,
    JSON.stringify(payload),
    sourceRunId,
    expiresAt ?? null,
  );
}

/** Replaces a row of the expected version; answers none otherwise. */
export function replaceRow(
  { organizationId, namespace, key }: RowKey,
  { kind, payload, expiresAt, expectedVersion }: PutDurabilityRowDto,
  sourceRunId: string | null,
): Statement<DurabilityRowDto> {
  return statement(
    `update durability_row d set kind = $4, version = d.version + 1, payload = $5::jsonb, source_run_id = $6,
       expires_at = $7, updated_at = clock_timestamp()
     where d.organization_id = $1 and d.namespace = $2 and d.key = $3 and d.version = $8 and ${CURRENT}
     returning ${select}`,
    organizationId,
    namespace,
    key,
    kind,
    JSON.stringify(payload),
    sourceRunId,
    expiresAt ?? null,
    expectedVersion,
  );
}

/** Leaves its version behind, so that what was read before the deletion never fits a row that is made later. */
export function deleteRow(
  { organizationId, namespace, key }: RowKey,
  expectedVersion: number,
): Statement<DurabilityRowDto> {
  return statement(
    `with row as materialized (
       select d.*, clock_timestamp() as now from durability_row d
       where d.organization_id = $1 and d.namespace = $2 and d.key = $3 and d.version = $4 and ${CURRENT}
       for no key update),
     emptied as (
       update durability_row d set deleted_at = row.now, payload = '{}', expires_at = null, source_run_id = null from row
       where d.organization_id = $1 and d.namespace = $2 and d.key = $3)
     select ${select} from row d`,
    organizationId,
    namespace,
    key,
    expectedVersion,
  );
}

const ONE_PURGE = statement(`select pg_advisory_xact_lock(hashtext('durability purge'))`);

const longAgo = (column: string, days: string) => `${column} < clock_timestamp() - make_interval(days => ${days}::int)`;

/**
 * Empties what expired so many days ago, in all organizations: from then on only its version is known. Purges go one at a
 * time, and a row that is written again meanwhile stays.
 */
export function emptyExpired(days: number, batch: number): readonly Statement[] {
  return [
    ONE_PURGE,
    statement(
      `update durability_row set deleted_at = expires_at, payload = '{}', expires_at = null, source_run_id = null
       where ${longAgo('expires_at', '$2')} and (organization_id, namespace, key) in (
         select organization_id, namespace, key from durability_row where ${longAgo('expires_at', '$2')}
         order by expires_at limit $1)
       returning 1`,
      batch,
      days,
    ),
  ];
}

/** Forgets the versions of keys that have been gone for so many days. */
export function forgetVersions(days: number, batch: number): readonly Statement[] {
  return [
    ONE_PURGE,
    statement(
      `delete from durability_row where ${longAgo('deleted_at', '$2')} and (organization_id, namespace, key) in (
         select organization_id, namespace, key from durability_row where ${longAgo('deleted_at', '$2')}
         order by deleted_at limit $1)
       returning 1`,
      batch,
      days,
    ),
  ];
}

/** As a part of the purge of a chat. */
export function removeRowsOfChat({ organizationId, id }: ContentsOf, batch: number): Statement {
  return statement(
    `delete from durability_row where ctid in (
       select d.ctid from durability_row d where d.organization_id = $1 and d.namespace = 'chat' and ${keysOf('$2::text')} limit $3)
     returning 1`,
    organizationId,
    id,
    batch,
  );
}

/** What an execution `$2` is bound to, as `namespace` and `id`: the task that a run works on, the chat of a turn. */
const BOUND: Readonly<Record<ExecutionKind, string>> = {
  task_run: `(select r.organization_id, 'task' as namespace, r.task_id::text as id from run r
    where r.organization_id = $1 and r.id = $2)`,
  chat_turn: `(select m.organization_id, 'chat' as namespace, m.chat_id::text as id from message m
    where m.organization_id = $1 and m.id = $2)`,
};

/** A row of what an execution is bound to. */
export function boundRow(
  { execution, executionId }: ExecutionPrincipal,
  { organizationId, namespace, key }: RowKey,
): Statement<DurabilityRowDto> {
  return statement(
    `select ${select} from ${BOUND[execution]} bound
     join durability_row d on d.organization_id = bound.organization_id and d.namespace = bound.namespace
     where d.namespace = $3 and d.key = $4 and left(d.key, 36) = bound.id and ${CURRENT}`,
    organizationId,
    executionId,
    namespace,
    key,
  );
}

/** How many keys a manifest names. */
const MAX_KEYS = 200;

/** The keys of what an execution is bound to. */
export function checkpointsOf({ organizationId, execution, executionId }: ExecutionPrincipal): Statement {
  return statement(
    `select d.namespace, d.key, d.version from ${BOUND[execution]} bound
     join durability_row d on d.organization_id = bound.organization_id and d.namespace = bound.namespace
       and ${keysOf('bound.id')}
     where ${CURRENT}
     order by d.key limit ${MAX_KEYS}`,
    organizationId,
    executionId,
  );
}
