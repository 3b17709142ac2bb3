import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { lockForEnd, TaskBlockersService } from '../../../src/modules/tasks/index.ts';
import {
  approved,
  awaiting,
  onAction,
  postingExecutor,
  proposer,
  idle,
  propose,
} from '../../support/factories/posted-actions.ts';
import { inOrganization } from '../../support/factories/tasks.ts';
import { COMPLETED, onRun, rowsOf } from '../../support/factories/work.ts';
import { useActionReceiver } from '../../support/peers/action-receiver.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const receiver = useActionReceiver();
const { app, owner, organization } = useOrganization({ per: 'test', ownDatabase: true });
beforeAll(() => void postingExecutor(app, receiver));

const waitFor = (...actionIds: string[]) => ({
  output: { kind: 'task_result', result: { kind: 'action_wait', summary: 'Waits.', actionIds } },
});

it('goes on exactly once behind a question and two actions, in whatever order and however simultaneous', async () => {
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  for (let round = 0; round < 60; round += 1) {
    const by = await proposer(app, owner, organization.id);
    const { run } = by;
    const [rejected, sent] = [await awaiting(app, by), await approved(app, owner, by)];
    expect((await onRun(app, run, 'complete', waitFor(rejected, sent))).status).toBe(200);
    const blockers = app.app.get(TaskBlockersService);
    const question = { kind: 'handoff', inboxItemId: randomUUID() } as const;
    await inOrganization(app, organization.id, (tx) => blockers.add(tx, run.taskId, question));
    const ends = [
      () => onAction(owner, run, rejected, 'reject'),
      () => app.runJob('actions-take').then(() => idle(app)),
      // As an answer does it.
      () =>
        inOrganization(app, organization.id, async (tx) =>
          blockers.remove(tx, await lockForEnd(tx, [run.taskId]), run.taskId, question),
        ),
    ];
    const order = orders[round % orders.length]!;
    if (round % 3 === 0) for (const which of order) await ends[which]!();
    else await Promise.all(order.map((which) => ends[which]!()));
    const { task, request } = await rowsOf(app, run);
    expect([task.status, task.blockers, request.status, request.id === run.runRequestId]).toEqual([
      'pending',
      [],
      'queued',
      false,
    ]);
    const { rows } = await app.db.query('select status from run_request where task_id = $1 order by id', [run.taskId]);
    expect(rows.map(({ status }) => status)).toEqual(['completed', 'queued']);
    await app.db.query(`update run_request set status = 'cancelled' where task_id = $1 and status = 'queued'`, [
      run.taskId,
    ]);
  }
}, 120_000);

it('lets neither a proposal nor a completion miss the other', async () => {
  const seen = new Set<string>();
  for (let round = 0; round < 40; round += 1) {
    const by = await proposer(app, owner, organization.id);
    const calls = [() => propose(app, by), () => onRun(app, by.run, 'complete', COMPLETED)];
    if (round % 2 === 1) calls.reverse();
    const answers = await Promise.all(calls.map((call) => call()));
    const [proposal, completion] = round % 2 === 1 ? answers.reverse() : answers;
    const outcome = [proposal!.status, completion!.status, completion!.body.error?.issues?.[0]?.code];
    expect([
      [201, 409, 'unresolved_actions'],
      [409, 200, undefined],
    ]).toContainEqual(outcome);
    seen.add(String(proposal!.status));
    const { task, runs } = await rowsOf(app, by.run);
    if (proposal!.status === 409) expect([task.status, runs[0].status]).toEqual(['completed', 'succeeded']);
    else {
      // The run lives on, and may wait.
      const wait = waitFor(proposal!.body.data.id as string);
      expect((await onRun(app, by.run, 'complete', wait)).status).toBe(200);
    }
  }
  console.info(`proposals against completions: ${[...seen].join(', ')}`);
}, 120_000);

it('lets neither a proposal nor a wait miss the other', async () => {
  for (let round = 0; round < 30; round += 1) {
    const by = await proposer(app, owner, organization.id);
    const first = await awaiting(app, by);
    const calls = [() => propose(app, by), () => onRun(app, by.run, 'complete', waitFor(first))];
    if (round % 2 === 1) calls.reverse();
    const answers = await Promise.all(calls.map((call) => call()));
    const [proposal, wait] = round % 2 === 1 ? answers.reverse() : answers;
    expect([
      [201, 409, 'unnamed_action'],
      [409, 200, undefined],
    ]).toContainEqual([proposal!.status, wait!.status, wait!.body.error?.issues?.[0]?.code]);
    if (proposal!.status === 409) continue;
    const both = waitFor(first, proposal!.body.data.id as string);
    expect((await onRun(app, by.run, 'complete', both)).status).toBe(200);
  }
}, 120_000);
