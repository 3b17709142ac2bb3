import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../kernel/pagination/index.ts';
import type { ActionListQuery } from './action.dto.ts';
import type { ActionDetailRow, ActionRow, LockedAction } from './action-row.ts';
import {
  ACTION_LIMITS,
  ACTION_STATUSES,
  type ActionError,
  actionMoves,
  type ActionMove,
  isUnsentAction,
} from './action.state.ts';

type Columns<Row> = { readonly [Property in keyof Row]-?: string };

const whole: Columns<Omit<ActionRow, 'preview'>> = {
  id: 'a.id',
  reference: 'a.reference',
  organizationId: 'a.organization_id',
  kind: 'a.kind',
  title: 'a.title',
  summary: 'a.summary',
  connectorKey: 'a.connector_key',
  integrationId: 'a.integration_id',
  toolName: 'a.tool_name',
  argumentsDigest: 'a.arguments_digest',
  taskId: 'a.task_id',
  taskVersion: 'a.task_version',
  runId: 'a.run_id',
  chatId: 'a.chat_id',
  chatMessageId: 'a.chat_message_id',
  agentProfileId: 'a.agent_profile_id',
  risk: 'a.risk',
  policy: 'a.policy',
  approvalRequired: 'a.approval_required',
  decision: 'a.decision',
  status: 'a.status',
  revision: 'a.revision',
  authorizationEpoch: 'a.authorization_epoch',
  result: 'a.result',
  error: 'a.error',
  reconciliation: 'a.reconciliation',
  dedupeKey: 'a.dedupe_key',
  inboxItemId: 'a.inbox_item_id',
  expiresAt: 'a.expires_at',
  sentAt: 'a.sent_at',
  finishedAt: 'a.finished_at',
  createdAt: 'a.created_at',
  updatedAt: 'a.updated_at',
};

// At most a byte a character is left out here; what is shown is cut by bytes.
const listed = columns<ActionRow>({ ...whole, preview: `left(a.preview, ${ACTION_LIMITS.shownPreviewBytes})` });
const detailed = columns<ActionDetailRow>({ ...whole, preview: 'a.preview', arguments: 'a.arguments' });

/** Of actions `a`, read behind their lock. */
export const LOCKED_ACTION = columns<LockedAction>({
  id: 'a.id',
  reference: 'a.reference',
  kind: 'a.kind',
  title: 'a.title',
  connectorKey: 'a.connector_key',
  integrationId: 'a.integration_id',
  toolName: 'a.tool_name',
  arguments: 'a.arguments',
  argumentsDigest: 'a.arguments_digest',
  taskId: 'a.task_id',
  chatId: 'a.chat_id',
  runId: 'a.run_id',
  agentProfileId: 'a.agent_profile_id',
  risk: 'a.risk',
  policy: 'a.policy',
  decision: 'a.decision',
  status: 'a.status',
  revision: 'a.revision',
  facts: 'a.facts',
  dedupeKey: 'a.dedupe_key',
  inboxItemId: 'a.inbox_item_id',
  isPast: 'a.expires_at <= clock_timestamp()',
  sentAt: 'a.sent_at',
  executorToken: 'a.executor_token',
  lapses: 'a.lapses',
});

/** Newest first: ids grow with time. */
export function actionsOf(organizationId: string, query: ActionListQuery): KeysetList<ActionRow> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('a.organization_id', organizationId)
    .oneOf('a.status', query.status)
    .oneOf('a.kind', query.kind)
    .oneOf('a.risk', query.risk)
    .equals('a.connector_key', query.connectorKey)
    .equals('a.task_id', query.taskId)
    .equals('a.chat_id', query.chatId)
    .equals('a.agent_profile_id', query.agentProfileId)
    .window('a', query);
  const decided = query.decided === undefined ? [] : [`a.decision is ${query.decided ? 'not null' : 'null'}`];
  const narrowed = query.taskId !== undefined || query.chatId !== undefined;
  return new KeysetList<ActionRow>(
    {
      select: listed,
      from: 'action a',
      where: [...filters.where, ...decided],
      walks:
        query.status === undefined || narrowed
          ? undefined
          : [{ column: 'status', values: ACTION_STATUSES.filter((status) => query.status!.includes(status)) }],
      wide: ['a.summary', 'a.result', 'a.error', 'a.policy'],
      sortBy: [{ sql: 'a.id', type: 'uuid', of: ({ id }) => id }],
      cursor: opaqueCursor('actions', [organizationId, bound]),
    },
    query,
  );
}

export function actionById(organizationId: string, id: string): Statement<ActionDetailRow> {
  return sql`select ${detailed} from action a where a.organization_id = ${organizationId} and a.id = ${id}`;
}

/** Whose an action is, which never changes: read before the locks, which begin with the task or chat. */
export interface ActionOrigin {
  readonly taskId: string | null;
  readonly chatId: string | null;
}

export function originOfAction(organizationId: string, id: string): Statement<ActionOrigin> {
  return sql`
    select a.task_id as "taskId", a.chat_id as "chatId" from action a
    where a.organization_id = ${organizationId} and a.id = ${id}`;
}

const UNSENT = sql.raw(isUnsentAction('a.status', 'a.sent_at'));

/** Takes the lock of an action, behind that of its task or chat. */
export function holdAction(organizationId: string, id: string): Statement {
  return sql`
    select a.id from action a where a.organization_id = ${organizationId} and a.id = ${id} for no key update`;
}

/** Reads an action behind its lock. */
export function heldAction(organizationId: string, id: string): Statement<LockedAction> {
  return sql`select ${LOCKED_ACTION} from action a where a.organization_id = ${organizationId} and a.id = ${id}`;
}

/** Locks and reads the actions of some tasks or of a chat that have not been sent; `which` is a condition of `a`. */
export function unsentActions(organizationId: string, which: Sql): Statement<LockedAction> {
  return sql`
    select ${LOCKED_ACTION} from action a
    where a.organization_id = ${organizationId} and ${which} and ${UNSENT}
    order by a.id for no key update`;
}

/** Ends held actions of statuses that permit the move. */
export function endActions(
  organizationId: string,
  ids: readonly string[],
  move: ActionMove,
  { result, error }: { readonly result: object | null; readonly error: ActionError | null },
): Statement {
  const organization = sql.value(organizationId);
  const asked = sql.value(ids);
  return sql`
    with held as materialized (
      select a.id, a.revision + 1 as revision, clock_timestamp() as now, ${json(result)} as result,
        coalesce(${json(error)}, a.error) as error
      from action a
      where a.organization_id = ${organization} and a.id = any(${asked}::uuid[])
        and ${sql.raw(actionMoves.permits(move, 'a.status'))}),
    ended as (
      update action a set status = ${sql.raw(actionMoves.moved(move, 'a.status'))}, revision = held.revision,
        result = held.result, error = held.error, executor_token = null, lease_expires_at = null, settle_at = null,
        finished_at = held.now, updated_at = held.now
      from held
      where a.organization_id = ${organization} and a.id = held.id)
    select count(*) from held`;
}

function json(value: object | null) {
  return sql`${value === null ? null : JSON.stringify(value)}::jsonb`;
}

/** What decides about an action beside its executor: the constraint of its organization, and whether its profile may work. */
export interface ActionGrounds {
  readonly approvalRequiredForRisk: readonly string[];
  readonly authorizationEpoch: number;
  readonly profileEnabled: boolean;
}

export function grounds(organizationId: string, agentProfileId: string): Statement<ActionGrounds> {
  const organization = sql.value(organizationId);
  return sql`
    select o.approval_required_for_risk as "approvalRequiredForRisk", o.authorization_epoch as "authorizationEpoch",
      exists (
        select from agent_profile p
        where p.organization_id = ${organization} and p.id = ${agentProfileId} and p.status = 'enabled'
          and p.deleted_at is null) as "profileEnabled"
    from organization o where o.id = ${organization}`;
}

/** Notes the newest item about an action. */
export function noteItem(organizationId: string, id: string, itemId: string): Statement {
  return sql`
    update action set inbox_item_id = ${itemId} where organization_id = ${organizationId} and id = ${id}`;
}
