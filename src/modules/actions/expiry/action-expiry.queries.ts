import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { type FoundAction, FOUND_LIMIT } from '../action-sweep.ts';
import { UNTAKEN_HOURS } from '../execution/execution.policy.ts';

const UNDECIDED = sql`a.status = 'awaiting_approval' and a.expires_at <= clock_timestamp()`;
const UNTAKEN = sql`a.status = 'approved'
      and a.approved_at <= clock_timestamp() - interval '${sql.raw(String(UNTAKEN_HOURS))} hours'`;

export type DueReason = 'undecided' | 'untaken';
const REASONS: Readonly<Record<DueReason, Sql>> = { undecided: UNDECIDED, untaken: UNTAKEN };

/** Actions across organizations whose time is over: nobody decided, or no executor took them. */
export function actionsDue(reason: DueReason): Statement<FoundAction> {
  return sql`
    select a.organization_id as "organizationId", a.id from action a join organization o on o.id = a.organization_id
    where ${REASONS[reason]} and o.status = 'active' limit ${FOUND_LIMIT}`;
}

/** Whether the time of a held action is over for this reason. */
export function isDue(organizationId: string, id: string, reason: DueReason): Statement<{ id: string }> {
  return sql`
    select a.id from action a where a.organization_id = ${organizationId} and a.id = ${id} and ${REASONS[reason]}`;
}

/** Pending ones may still change: what was taken is looked at in the release. */
const PENDING = sql`a.status in ('awaiting_approval', 'approved')`;

/** Pending actions across organizations in the order of their keys, from behind a place on. */
export function pendingActions(after: FoundAction, limit: number): Statement<FoundAction> {
  return sql`
    select a.organization_id as "organizationId", a.id from action a join organization o on o.id = a.organization_id
    where ${PENDING} and o.status = 'active'
      and (a.organization_id, a.id) > (${after.organizationId}::uuid, ${after.id}::uuid)
    order by a.organization_id, a.id limit ${limit}`;
}

/** What a change concerns; all of an organization without. */
export interface ChangedTarget {
  readonly connectorKey?: string;
  readonly toolName?: string;
  readonly agentProfileId?: string;
}

/** Pending actions of an organization that a change may concern, from behind a place on. */
export function pendingActionsOf(
  organizationId: string,
  { connectorKey, toolName, agentProfileId }: ChangedTarget,
  after: string,
  limit: number,
): Statement<{ id: string }> {
  const [connector, tool, profile] = [
    sql.value(connectorKey ?? null),
    sql.value(toolName ?? null),
    sql.value(agentProfileId ?? null),
  ];
  return sql`
    select a.id from action a
    where a.organization_id = ${organizationId} and ${PENDING} and a.id > ${after}::uuid
      and (${connector}::text is null or a.connector_key = ${connector})
      and (${tool}::text is null or a.tool_name = ${tool})
      and (${profile}::uuid is null or a.agent_profile_id = ${profile}::uuid)
    order by a.id limit ${limit}`;
}
