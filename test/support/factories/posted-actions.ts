import { ActionExecutionService } from '../../../src/modules/actions/execution/action-execution.service.ts';
import { ActionExecutors } from '../../../src/modules/actions/index.ts';
import type { Answer, Client } from '../client.ts';
import type { ActionReceiver } from '../peers/action-receiver.ts';
import type { TestApp } from '../test-app.ts';
import { until } from '../until.ts';
import { createChat } from './chats.ts';
import { POSTING, PostingExecutor } from './posting-executor.ts';
import { startedRun, type StartedRun } from './work.ts';

/** Registers an executor with an application that posts to the receiver. */
export function postingExecutor(app: TestApp, receiver: ActionReceiver): PostingExecutor {
  const executor = new PostingExecutor(() => receiver.url);
  app.app.get(ActionExecutors).register(executor);
  return executor;
}

/** A run that proposes, and the chat that its actions are bound to. */
export interface Proposer {
  readonly run: StartedRun;
  readonly chatId: string;
}

/** A run that may propose as many actions as a test wants. */
export async function proposer(
  app: TestApp,
  owner: Client,
  organizationId: string,
  options?: Parameters<typeof startedRun>[2],
): Promise<Proposer> {
  const run = await startedRun(app, organizationId, options);
  await app.db.query('update task set max_actions = 10000 where organization_id = $1 and id = $2', [
    organizationId,
    run.taskId,
  ]);
  return { run, chatId: await createChat(owner, organizationId) };
}

let proposed = 0;

/** Proposes one more action. */
export function propose(app: TestApp, { run, chatId }: Proposer, body: object = {}): Promise<Answer> {
  proposed += 1;
  return app.client(run.executionToken).post(`/internal/agent/organizations/${run.organizationId}/actions`, {
    connectorKey: POSTING,
    toolName: chatId,
    arguments: { number: proposed },
    title: 'Post a number',
    summary: 'Posts it.',
    ...body,
  });
}

/** An action that awaits a person's approval. */
export async function awaiting(app: TestApp, by: Proposer, body?: object): Promise<string> {
  const { status, text, body: answer } = await propose(app, by, body);
  if (status !== 201 || answer.data.status !== 'awaiting_approval') throw new Error(`No proposal: ${text}`);
  return answer.data.id as string;
}

export function onAction(
  caller: Client,
  { organizationId }: Pick<StartedRun, 'organizationId'>,
  id: string,
  verb: 'approve' | 'reject' | 'reconcile',
  body: object = {},
): Promise<Answer> {
  return caller.post(`/organizations/${organizationId}/actions/${id}/${verb}`, body);
}

/** An action that a person approved. */
export async function approved(app: TestApp, owner: Client, by: Proposer, body?: object): Promise<string> {
  const id = await awaiting(app, by, body);
  const { status, text } = await onAction(owner, by.run, id, 'approve');
  if (status !== 200) throw new Error(`No approval: ${text}`);
  return id;
}

/** The row of an action, in SQL's names. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into rows of every shape
export async function actionRow(app: TestApp, id: string): Promise<any> {
  return (await app.db.query('select * from action where id = $1', [id])).rows[0];
}

/** Lets executors take what is approved, and waits until it has this status. */
export async function carriedOut(app: TestApp, id: string, status: string): Promise<void> {
  await app.runJob('actions-take');
  await until(`the action is ${status}`, async () => (await actionRow(app, id)).status === status);
}

/** Moves the end of an executor's lease, by the database's clock. */
export async function lapseExecutor(app: TestApp, id: string): Promise<void> {
  await app.db.query(`update action set lease_expires_at = clock_timestamp() - interval '1 ms' where id = $1`, [id]);
}

/** Waits until nothing is underway in a process. */
export function idle(app: TestApp): Promise<void> {
  const execution = app.app.get(ActionExecutionService);
  return until('nothing is underway', () => execution['underway'].size === 0);
}
