import type pg from 'pg';
import type * as BatchModule from '../../src/kernel/database/batch.ts';
import type { Statement } from '../../src/kernel/database/index.ts';
import type * as StartModule from '../../src/modules/runs/run-start.queries.ts';
import type * as LeaseModule from '../../src/modules/runs/run-lease.queries.ts';
import type * as LogsModule from '../../src/modules/runs/run-logs.queries.ts';

/** From the build: the sources have decorators, which Node does not strip. */
async function built<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../dist/src/${path}`, import.meta.url).href)) as Module;
}

export const { roundTrip } = await built<typeof BatchModule>('kernel/database/batch.js');
const { moveStart, startLocks } = await built<typeof StartModule>('modules/runs/run-start.queries.js');
const { beat, markRunning } = await built<typeof LeaseModule>('modules/runs/run-lease.queries.js');
const { appendLogs, lockLog, logProgress } = await built<typeof LogsModule>('modules/runs/run-logs.queries.js');

export interface LeasedRun {
  readonly organizationId: string;
  readonly runRequestId: string;
  readonly runId: string;
  readonly leaseToken: string;
  readonly tokenHash: Buffer;
}

export interface LogEntry {
  readonly sequence: number;
  readonly category: string;
  readonly status: string;
  readonly label: string;
  readonly occurredAt: string;
}

export type LifecycleStep = 'start' | 'running' | 'heartbeat' | 'logs' | 'complete';

const WORKPLACE = { harness: 'bench/1', model: 'bench', workspaceUri: 'workspace://bench/1' };

/**
 * The statements of a lifecycle, one batch a step: the service's own SQL with its locks, without roles and row-level
 * security. The end of a run is written here as one batch, which the service's own final calls are not.
 */
export function statementsOf(step: LifecycleStep, run: LeasedRun, entries: readonly LogEntry[] = []): Statement[] {
  switch (step) {
    case 'start': {
      const start = { ...run, workerId: 'bench', bootId: null, leaseSeconds: 60, capabilitySeconds: 900 };
      return [...startLocks(start), moveStart(start)];
    }
    case 'running':
      return [markRunning(run, WORKPLACE)];
    case 'heartbeat':
      return [beat(run, { leaseSeconds: 60, capabilitySeconds: 900 })];
    case 'logs': {
      const { organizationId, leaseToken, runId } = run;
      const body = { organizationId, leaseToken, entries: [...entries] };
      return [lockLog(runId), appendLogs(runId, body), logProgress(organizationId, runId)];
    }
    case 'complete':
      return [...completionLocks(run), moveCompletion(run)];
  }
}

/** Runs one step and refuses to count one that moved nothing. */
export async function runStep(
  pool: pg.Pool,
  step: LifecycleStep,
  run: LeasedRun,
  entries?: readonly LogEntry[],
): Promise<void> {
  const results = await roundTrip(pool, statementsOf(step, run, entries), { prepared: true });
  const index = step === 'logs' ? 1 : results.length - 1;
  const row = results[index]!.rows[0] as { verdict?: string; moved?: boolean; live?: boolean } | undefined;
  const moved =
    row !== undefined &&
    row.live !== false &&
    row.moved !== false &&
    !['lost', 'lease_expired'].includes(row.verdict ?? '');
  if (!moved || (step === 'start' && row.verdict !== 'started'))
    throw new Error(`"${step}" moved nothing: ${JSON.stringify(row)}`);
}

const RUN = 'r.organization_id = $1 and r.id = $2';

function completionLocks({ organizationId, runId }: LeasedRun): Statement[] {
  const lock = (text: string): Statement => ({ text, values: [organizationId, runId] });
  return [
    lock(
      `select from task t where t.organization_id = $1 and t.id = (select r.task_id from run r where ${RUN}) for no key update`,
    ),
    lock(
      `select from run_request q where q.organization_id = $1 and q.id = (select r.run_request_id from run r where ${RUN}) for no key update`,
    ),
    lock(`select from run r where ${RUN} for no key update`),
  ];
}

/** A plain completion: no verification, no staged outcome, nobody who waits for the task. */
function moveCompletion({ organizationId, runId, tokenHash }: LeasedRun): Statement {
  return {
    text: `with clock as materialized (select clock_timestamp() as now),
      facts as materialized (
        select r.task_id, r.run_request_id, r.agent_profile_id, p.key as profile_key, clock.now,
          t.identifier_scope || '-' || t.identifier_number || ' ' || t.title as label
        from clock
        join run r on ${RUN} and r.lease_token_hash = $3 and r.lease_expires_at > clock.now and r.status in ('starting', 'running')
        join task t on t.organization_id = $1 and t.id = r.task_id
        join run_request q on q.organization_id = $1 and q.id = r.run_request_id
        join agent_profile p on p.organization_id = $1 and p.id = r.agent_profile_id
        where t.status = 'running' and t.verification = 'none' and q.status = 'running'
          and not exists (select from run_outcome s where s.organization_id = $1 and s.run_id = $2)
          and not exists (select from task_dependency d where d.organization_id = $1 and d.depends_on_task_id = t.id and d.status = 'pending')),
      ended as (
        update run r set status = 'succeeded', finished_at = f.now, updated_at = f.now, output = $4::jsonb, final_digest = $5,
          final_answer = jsonb_build_object('ended', jsonb_build_object('runId', r.id, 'taskId', f.task_id,
            'status', 'succeeded', 'taskStatus', 'completed', 'runRequestStatus', 'completed'))
        from facts f where ${RUN}),
      request as (
        update run_request q set status = 'completed', updated_at = f.now
        from facts f where q.organization_id = $1 and q.id = f.run_request_id),
      moved as (
        update task t set status = 'completed', result = $4::jsonb -> 'result', unverified_result = null, blockers = '[]',
          version = t.version + 1, completed_at = f.now, updated_at = f.now
        from facts f where t.organization_id = $1 and t.id = f.task_id),
      told as (
        insert into activity (organization_id, id, at, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label, details)
        select $1, uuidv7(), f.now, 'agent', f.agent_profile_id::text, f.profile_key, e.verb, e.kind, e.id::text, f.label, e.details
        from facts f cross join lateral (values
          ('run.succeeded', 'run', $2::uuid, jsonb_build_object('taskId', f.task_id)),
          ('task.completed', 'task', f.task_id, '{}'::jsonb)) e(verb, kind, id, details))
      select case when exists (select from facts) then 'completed' else 'lost' end as verdict`,
    values: [organizationId, runId, tokenHash, COMPLETED, '0'.repeat(64)],
  };
}

const COMPLETED = JSON.stringify({
  kind: 'task_result',
  result: { kind: 'completed', summary: 'Done.', artifacts: [] },
});

/** `count` entries of a run's log, from the first. */
export function logEntries(count: number): LogEntry[] {
  const occurredAt = new Date().toISOString();
  return Array.from({ length: count }, (_, index) => ({
    sequence: index + 1,
    category: 'execution',
    status: 'info',
    label: `Step ${index + 1} of the work`,
    occurredAt,
  }));
}
