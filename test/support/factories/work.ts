import { randomUUID } from 'node:crypto';
import { RunRequestQueueService } from '../../../src/modules/tasks/index.ts';
import type { Answer } from '../client.ts';
import type { TestApp } from '../test-app.ts';
import { profileOf } from './profiles.ts';
import { inOrganization } from './tasks.ts';

export interface QueuedTask {
  readonly organizationId: string;
  readonly taskId: string;
  readonly runRequestId: string;
}

export interface Claimed extends QueuedTask {
  readonly agentProfileId: string;
  readonly mode: string;
  readonly priority: number;
  readonly leaseToken: string;
  readonly claimExpiresAt: string;
}

export interface StartedRun extends Claimed {
  readonly runId: string;
  readonly workerId: string;
  readonly bootId: string;
  readonly executionToken: string;
}

interface TaskOptions {
  /** Key of the profile that owns it. */
  readonly profile?: string;
  readonly priority?: number;
  readonly kind?: 'task' | 'discovery' | 'learning';
  readonly phase?: 'plan' | 'execute' | 'verify';
  readonly maxAgentRuns?: number;
  /** SQL, e.g. `clock_timestamp() + interval '1 hour'`. */
  readonly scheduledAt?: string;
}

/** Where a task stands in its tree. */
interface PlacedTask {
  readonly id: string;
  readonly parentId: string | null;
  readonly rootId: string;
  readonly depth: number;
}

/** Tasks of an organization with a queued request each, as their creation leaves them. */
export async function queueTasks(
  app: TestApp,
  organizationId: string,
  count: number,
  options: TaskOptions = {},
): Promise<QueuedTask[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const roots = ids.map((id) => ({ id, parentId: null, rootId: id, depth: 0 }));
  await insertPending(app, organizationId, roots, options);
  const { rows } = await app.db.query<{ taskId: string; runRequestId: string }>(
    `select task_id as "taskId", id as "runRequestId" from run_request where organization_id = $1 and task_id = any($2)
     order by array_position($2::uuid[], task_id)`,
    [organizationId, ids],
  );
  return rows.map(({ taskId, runRequestId }) => ({ organizationId, taskId, runRequestId }));
}

/** Pending tasks straight in the table, each with the request that its creation queues. */
export async function insertPending(
  app: TestApp,
  organizationId: string,
  tasks: readonly PlacedTask[],
  {
    profile = 'growth',
    priority = 0,
    kind = 'task',
    phase = 'execute',
    maxAgentRuns = 20,
    scheduledAt = 'null',
  }: TaskOptions = {},
): Promise<void> {
  const agentProfileId = await profileOf(app, organizationId, profile);
  await app.db.query(
    `insert into task (organization_id, id, identifier_scope, identifier_number, parent_id, root_task_id, depth,
       owner_agent_profile_id, kind, status, phase, title, priority, max_agent_runs, max_attempts_per_phase, max_replans,
       max_actions, spec, dedupe_key, scheduled_at)
     select $1, t.id, 'T', coalesce((select max(identifier_number) from task where organization_id = $1 and identifier_scope = 'T'), 0) + place,
       t.parent_id, t.root_id, t.depth, $6, $7, 'pending', $8, 'A task', $9, $10, 3, 3, 20,
       '{"objective":"Do it","inputs":[],"acceptanceCriteria":[]}', t.id::text, ${scheduledAt}
     from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[]) with ordinality t(id, parent_id, root_id, depth, place)`,
    [
      organizationId,
      tasks.map(({ id }) => id),
      tasks.map(({ parentId }) => parentId),
      tasks.map(({ rootId }) => rootId),
      tasks.map(({ depth }) => depth),
      agentProfileId,
      kind,
      phase,
      priority,
      maxAgentRuns,
    ],
  );
  const ids = tasks.map(({ id }) => id);
  // As the service's job would within seconds: until then the planner takes them for a few, and compares each with each.
  const analyze = async (table: string) => {
    if (ids.length >= MANY) await app.db.query(`analyze ${table}`);
  };
  await analyze('task');
  await inOrganization(app, organizationId, (tx) => app.app.get(RunRequestQueueService).queue(tx, ids));
  await analyze('run_request');
}

const MANY = 100;

export async function queueTask(app: TestApp, organizationId: string, options?: TaskOptions): Promise<QueuedTask> {
  const [task] = await queueTasks(app, organizationId, 1, options);
  return task!;
}

/** Lets so many runs of an organization, and of each of its profiles, be live. */
export async function allowRuns(app: TestApp, organizationId: string, limit: number): Promise<void> {
  for (const table of ['organization_capacity', 'profile_capacity'])
    await app.db.query(`update ${table} set max_live_runs = $2 where organization_id = $1`, [organizationId, limit]);
}

export const CLAIM_PATH = '/internal/run-requests/claim';

/** A claim on one organization's work. */
export function claim(app: TestApp, organizationId: string, body: Record<string, unknown> = {}): Promise<Answer> {
  return app.service.post(CLAIM_PATH, {
    workerId: `worker-${organizationId}`,
    bootId: randomUUID(),
    organizationIds: [organizationId],
    ...body,
  });
}

/** Claims the only work of an organization. */
export async function claimOne(app: TestApp, organizationId: string, body?: Record<string, unknown>): Promise<Claimed> {
  const { status, text, body: answer } = await claim(app, organizationId, body);
  if (status !== 200 || answer.data.length !== 1) throw new Error(`No claim: ${text}`);
  return answer.data[0] as Claimed;
}

export function start(
  app: TestApp,
  { organizationId, runRequestId, leaseToken }: Pick<Claimed, 'organizationId' | 'runRequestId' | 'leaseToken'>,
  body: Record<string, unknown> = {},
): Promise<Answer> {
  return app.service.post(`/internal/run-requests/${runRequestId}/start`, {
    organizationId,
    leaseToken,
    runId: randomUUID(),
    workerId: `worker-${organizationId}`,
    ...body,
  });
}

/** A new task with a live run, in `starting`. */
export async function startedRun(app: TestApp, organizationId: string, options?: TaskOptions): Promise<StartedRun> {
  await queueTask(app, organizationId, options);
  return startClaimed(app, organizationId);
}

/** Claims the only work of an organization and starts it. */
export async function startClaimed(app: TestApp, organizationId: string): Promise<StartedRun> {
  const [runId, bootId, workerId] = [randomUUID(), randomUUID(), `worker-${organizationId}`];
  const claimed = await claimOne(app, organizationId, { bootId, workerId });
  const { status, text, body } = await start(app, claimed, { runId, workerId });
  if (status !== 200) throw new Error(`No run: ${text}`);
  return { ...claimed, runId, workerId, bootId, executionToken: body.data.executionToken };
}

/** A call of a worker on its run. */
export function onRun(
  app: TestApp,
  { organizationId, runId, leaseToken }: Pick<StartedRun, 'organizationId' | 'runId' | 'leaseToken'>,
  call: string,
  body: Record<string, unknown> = {},
): Promise<Answer> {
  return app.service.post(`/internal/runs/${runId}/${call}`, { organizationId, leaseToken, ...body });
}

export const WORKPLACE = { harness: 'harness/1', model: 'model-1', workspaceUri: 'workspace://here/1' };

/** Moves the end of a run's lease, by the database's clock. */
export async function lapseRun(app: TestApp, { organizationId, runId }: StartedRun): Promise<void> {
  await app.db.query(
    `update run set lease_expires_at = clock_timestamp() - interval '1 ms' where organization_id = $1 and id = $2`,
    [organizationId, runId],
  );
}

export async function lapseClaim(app: TestApp, { organizationId, runRequestId }: QueuedTask): Promise<void> {
  await app.db.query(
    `update run_request set claim_expires_at = clock_timestamp() - interval '1 ms' where organization_id = $1 and id = $2`,
    [organizationId, runRequestId],
  );
}

/** Ends the rest of a request that was given back, as the clock and the tick do. */
export async function endRest(app: TestApp, { organizationId, runRequestId }: QueuedTask): Promise<void> {
  await app.db.query(`update run_request set available_at = clock_timestamp() where organization_id = $1 and id = $2`, [
    organizationId,
    runRequestId,
  ]);
  await app.runJob('run-requests-due');
}

/** The rows of a task, its request and its runs, in SQL's names. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into rows of every shape
export async function rowsOf(app: TestApp, { organizationId, taskId }: QueuedTask): Promise<any> {
  const one = async (sql: string) => (await app.db.query(sql, [organizationId, taskId])).rows;
  const [task] = await one(`select * from task where organization_id = $1 and id = $2`);
  const [request] = await one(`select * from run_request where organization_id = $1 and task_id = $2 order by id desc`);
  const runs = await one(`select * from run where organization_id = $1 and task_id = $2 order by created_at`);
  return { task, request, runs };
}

/** The plainest end of a run. */
export const COMPLETED = { output: { kind: 'task_result', result: { kind: 'completed', summary: 'Done.' } } };
