import { columns, sql, type Statement } from '../../kernel/database/index.ts';
import { isEndedTask, isOpenTask, type TaskStatus } from '../tasks/index.ts';
import { recordOfTree } from '../knowledge/index.ts';
import type { Department } from '../organizations/index.ts';
import type { IntentionStanding } from './discovery.policy.ts';
import type { IntentionKey, IntentionKind, IntentionStatus } from './discovery.state.ts';

/** The discovery of an organization, and its departments. */
export interface DiscoveryFacts {
  readonly integrationSetupCompletedAt: string | null;
  readonly enabledDepartments: readonly Department[];
  readonly now: string;
}

const FACTS = columns<DiscoveryFacts>({
  integrationSetupCompletedAt: 'd.integration_setup_completed_at',
  enabledDepartments: 'o.enabled_departments',
  now: 'clock_timestamp()',
});

/** One row; without times where the organization is from before. */
export function discoveryFacts(organizationId: string): Statement<DiscoveryFacts> {
  return sql`
    select ${FACTS} from organization o
    left join discovery d on d.organization_id = ${organizationId}
    where o.id = ${organizationId}`;
}

/** Lets moves of one organization take turns; no row where it is from before. */
export function lockDiscovery(organizationId: string): Statement<object> {
  return sql`select 1 from discovery d where d.organization_id = ${organizationId} for no key update`;
}

export interface IntentionRow extends IntentionStanding {
  readonly key: IntentionKey;
  readonly attempts: number;
  readonly taskId: string | null;
  readonly nextAttemptAt: string | null;
}

const INTENTION = columns<IntentionRow>({
  key: 'i.key',
  kind: 'i.kind',
  status: 'i.status',
  settled: 'i.settled',
  attempts: 'i.attempts',
  taskId: 'i.task_id',
  nextAttemptAt: 'i.next_attempt_at',
});

/** Research first, in the order of its keys. */
export function intentionsOf(organizationId: string): Statement<IntentionRow> {
  return sql`
    select ${INTENTION} from discovery_intention i where i.organization_id = ${organizationId}
    order by i.kind desc, i.key`;
}

/** How an intention stands, read behind the lock of the discovery. */
export interface IntentionFacts extends IntentionRow {
  /** Of its last task. */
  readonly taskStatus: TaskStatus | null;
  /** Whether a record that nobody revoked stems from that task. */
  readonly hasRecord: boolean;
  readonly isDue: boolean;
}

const STANDING = columns<IntentionFacts>({
  key: 'i.key',
  kind: 'i.kind',
  status: 'i.status',
  settled: 'i.settled',
  attempts: 'i.attempts',
  taskId: 'i.task_id',
  nextAttemptAt: 'i.next_attempt_at',
  taskStatus: 't.status',
  hasRecord: 'i.has_record',
  isDue: 'coalesce(i.next_attempt_at <= clock_timestamp(), false)',
});

export function intentionFacts(organizationId: string, key: IntentionKey): Statement<IntentionFacts> {
  const organization = sql.value(organizationId);
  return sql`
    select ${STANDING} from (
      select i.*, ${recordOfTree(organizationId, sql`i.task_id`)} as has_record from discovery_intention i
      where i.organization_id = ${organization} and i.key = ${key}) i
    left join task t on t.organization_id = ${organization} and t.id = i.task_id`;
}

/** The profile that is to do the task: the operator, or of a department its built-in one, else the oldest that is enabled. */
export function profileFor(
  organizationId: string,
  key: IntentionKey,
  kind: IntentionKind,
): Statement<{ readonly id: string }> {
  const named = sql.value(key);
  const which =
    kind === 'research'
      ? sql`p.kind = 'operator'`
      : sql`p.kind = 'department' and p.department = ${named} and p.status = 'enabled'`;
  return sql`
    select p.id from agent_profile p
    where p.organization_id = ${organizationId} and p.deleted_at is null and ${which}
    order by (p.key = ${named}) desc, p.created_at, p.id limit 1`;
}

export function insertDiscovery(organizationId: string): Statement {
  return sql`
    insert into discovery (organization_id, integration_setup_completed_at) values (${organizationId}, null)
    on conflict do nothing`;
}

export interface NewIntention {
  readonly key: IntentionKey;
  readonly kind: IntentionKind;
  readonly status: IntentionStatus;
  readonly nextAttemptAt: string | null;
}

export function insertIntention(organizationId: string, intention: NewIntention): Statement {
  const { key, kind, status, nextAttemptAt } = intention;
  return sql`
    insert into discovery_intention (organization_id, key, kind, status, attempts, task_id, next_attempt_at, settled)
    values (${organizationId}, ${key}, ${kind}, ${status}, 0, null, ${nextAttemptAt}, false) on conflict do nothing`;
}

export type IntentionChange = Pick<IntentionRow, 'status' | 'settled' | 'attempts' | 'taskId' | 'nextAttemptAt'>;

export function changeIntention(organizationId: string, key: IntentionKey, change: IntentionChange): Statement {
  return sql`
    update discovery_intention set status = ${change.status}, settled = ${change.settled}, attempts = ${change.attempts},
      task_id = ${change.taskId}, next_attempt_at = ${change.nextAttemptAt}
    where organization_id = ${organizationId} and key = ${key}`;
}

/** So many minutes from now. */
export function later(minutes: number): Statement<{ readonly at: string }> {
  return sql`select clock_timestamp() + make_interval(mins => ${minutes}::int) as at`;
}

/** Says that the integrations are set up, once. */
export function completeSetup(organizationId: string, at: string): Statement<object> {
  return sql`
    update discovery set integration_setup_completed_at = ${at}
    where organization_id = ${organizationId} and integration_setup_completed_at is null returning 1`;
}

export interface DueIntention {
  readonly organizationId: string;
  readonly key: IntentionKey;
}

const HAS_ENDED = sql.raw(isEndedTask('t.status'));
const IS_OPEN = sql.raw(isOpenTask('t.status'));

/** Of organizations `o` whose intentions may move. */
const MAY_MOVE = sql`o.status = 'active' and o.work_dispatch_stopped_at is null`;

/** Intentions that may move, across organizations: due, with a task that has ended, or with one that lives again. */
export function dueIntentions(limit: number): Statement<DueIntention> {
  return sql`
    with found as materialized (
      (select i.organization_id, i.key from discovery_intention i join organization o on o.id = i.organization_id
        where i.next_attempt_at is not null and i.next_attempt_at <= (select clock_timestamp()) and ${MAY_MOVE}
        order by i.next_attempt_at limit ${limit})
      union
      (select i.organization_id, i.key from discovery_intention i
        join task t on t.organization_id = i.organization_id and t.id = i.task_id
        join organization o on o.id = i.organization_id
        where i.status = 'task_created' and ${HAS_ENDED} and ${MAY_MOVE} limit ${limit})
      union
      (select i.organization_id, i.key from task t
        join discovery_intention i on i.organization_id = t.organization_id and i.task_id = t.id
        join organization o on o.id = i.organization_id
        where t.kind = 'discovery' and ${IS_OPEN} and i.status = 'failed' and ${MAY_MOVE} limit ${limit}))
    select f.organization_id as "organizationId", f.key from found f order by f.organization_id, f.key`;
}
