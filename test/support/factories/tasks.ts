import { Transactions, type Tx } from '../../../src/kernel/database/index.ts';
import { activeAccess } from '../../../src/kernel/tenancy/index.ts';
import { EdgeErrors } from '../../../src/kernel/errors/index.ts';
import { lockForEnd, TaskEndingService } from '../../../src/modules/tasks/index.ts';
import { type Client } from '../client.ts';
import type { TestApp } from '../test-app.ts';

/** A task as the API shows it. */
export interface ShownTask {
  readonly id: string;
  readonly identifier: string;
  readonly status: string;
  readonly version: number;
  readonly graphRevision: number;
  readonly state: { readonly blockers: readonly { readonly kind: string; readonly dependsOnTaskId?: string }[] };
  readonly result: Readonly<Record<string, unknown>> | null;
}

/** The least that a creation says. */
export function taskBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return { title: 'A task', spec: { objective: 'Do it' }, ...overrides };
}

export async function createTask(
  owner: Client,
  organizationId: string,
  overrides: Record<string, unknown> = {},
): Promise<ShownTask> {
  const { status, body } = await owner.post(`/organizations/${organizationId}/tasks`, taskBody(overrides));
  if (status !== 201) throw new Error(`No task: ${JSON.stringify(body)}`);
  return body.data as ShownTask;
}

export async function readTask(owner: Client, organizationId: string, ref: string): Promise<ShownTask> {
  const { status, body } = await owner.get(`/organizations/${organizationId}/tasks/${ref}`);
  if (status !== 200) throw new Error(`No task: ${JSON.stringify(body)}`);
  return body.data as ShownTask;
}

/** A transaction of the backend inside an organization. */
export function inOrganization<T>(app: TestApp, organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return app.app.get(Transactions).through(activeAccess(organizationId, EdgeErrors.organizationNotFound), work);
}

/** Ends a task as a run's completion or failure does; `artifactKinds` are what it completes with. */
export async function endTask(
  app: TestApp,
  organizationId: string,
  taskId: string,
  status: 'completed' | 'failed' = 'completed',
  artifactKinds: readonly string[] = [],
): Promise<void> {
  await inOrganization(app, organizationId, async (tx) => {
    const locked = await lockForEnd(tx, [taskId]);
    const artifacts = artifactKinds.map((kind) => ({ kind, name: kind, path: `${kind}.md` }));
    const end =
      status === 'completed'
        ? ({ status, result: { kind: 'completed', summary: 'done', artifacts }, artifactKinds } as const)
        : ({ status, code: 'run_failed', message: 'It failed.', runId: null } as const);
    await app.app.get(TaskEndingService).end(tx, locked, locked.get(taskId)!, end);
  });
}

/** Statuses of a task's run requests, oldest first. */
export async function requestsOf(app: TestApp, taskId: string): Promise<string[]> {
  const { rows } = await app.db.query<{ status: string }>(
    'select status from run_request where task_id = $1 order by id',
    [taskId],
  );
  return rows.map(({ status }) => status);
}
