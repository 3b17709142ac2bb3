import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import {
  actionRow,
  approved,
  awaiting,
  carriedOut,
  onAction,
  postingExecutor,
  propose,
  proposer,
  type Proposer,
} from '../../support/factories/posted-actions.ts';
import { taskBody } from '../../support/factories/tasks.ts';
import { COMPLETED, onRun, rowsOf, startClaimed, type StartedRun } from '../../support/factories/work.ts';
import { useActionReceiver } from '../../support/peers/action-receiver.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const receiver = useActionReceiver();
const { app, owner, organization } = useOrganization({ per: 'test', ownDatabase: true });
beforeAll(() => void postingExecutor(app, receiver));

const newProposer = () => proposer(app, owner, organization.id);
const result = (fields: object) => ({ output: { kind: 'task_result', result: { summary: 'Waits.', ...fields } } });
const complete = (run: StartedRun, body: object): Promise<Answer> =>
  onRun(app, run, 'complete', body as Record<string, unknown>);
const waitFor = (run: StartedRun, ...actionIds: string[]) => complete(run, result({ kind: 'action_wait', actionIds }));
const issueOf = ({ status, body }: Answer) => [
  status,
  body.error.code,
  body.error.issues[0].code,
  body.error.issues[0].path,
];
const manifestOf = async (run: StartedRun) =>
  (await app.client(run.executionToken).get(`/internal/agent/organizations/${organization.id}/execution`)).body.data;
/** The next run of the same task. */
const continued = async ({ run, chatId }: Proposer): Promise<Proposer> => ({
  chatId,
  run: { ...(await startClaimed(app, organization.id)), taskId: run.taskId },
});

describe('200', () => {
  it('blocks the task on its actions, and lets it go on with the last one', async () => {
    const by = await newProposer();
    const [first, second] = [await awaiting(app, by), await awaiting(app, by)];
    const { status, body } = await waitFor(by.run, first, second);
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ status: 'succeeded', taskStatus: 'blocked', runRequestStatus: 'completed' }),
    ]);
    const shown = await owner.get(`/organizations/${organization.id}/tasks/${by.run.taskId}`);
    expect(shown.body.data.state.blockers).toEqual(
      [first, second].map((actionId) => ({ kind: 'action', actionId, since: expect.any(String) })),
    );
    await onAction(owner, by.run, first, 'reject', { comment: 'Not now.' });
    expect((await rowsOf(app, by.run)).task.status).toBe('blocked');
    await onAction(owner, by.run, second, 'approve');
    await carriedOut(app, second, 'succeeded');
    expect((await rowsOf(app, by.run)).task).toMatchObject({ status: 'pending', blockers: [], refund_streak: 0 });

    const next = await continued(by);
    const { decisions, unresolvedActions, budgetLeft } = await manifestOf(next.run);
    expect(decisions).toEqual([
      expect.objectContaining({ actionId: second, status: 'succeeded', note: null, errorCode: null }),
      expect.objectContaining({ actionId: first, status: 'rejected', note: 'Not now.', errorCode: null }),
    ]);
    expect([unresolvedActions, budgetLeft.actions]).toEqual([[], 9_998]);
    const { body: beat } = await onRun(app, next.run, 'heartbeat');
    expect(beat.data.budget.actions).toBe(9_998);
  });

  it('goes on at once where all have ended already', async () => {
    const by = await newProposer();
    const id = await awaiting(app, by);
    await onAction(owner, by.run, id, 'reject');
    const { status, body } = await waitFor(by.run, id);
    expect([status, body.data.taskStatus]).toEqual([200, 'pending']);
    const { request } = await rowsOf(app, by.run);
    expect([request.status, request.id === by.run.runRequestId]).toEqual(['queued', false]);
  });

  it('waits for what a failed run left, as its manifest lists it', async () => {
    const by = await newProposer();
    const id = await awaiting(app, by);
    const error = { code: 'tired', message: 'No more.', retryable: true, retryAfterSeconds: 0 };
    expect((await onRun(app, by.run, 'fail', { error })).status).toBe(200);
    expect((await actionRow(app, id)).status).toBe('awaiting_approval');
    const next = await continued(by);
    expect((await manifestOf(next.run)).unresolvedActions).toEqual([
      expect.objectContaining({ actionId: id, status: 'awaiting_approval', runId: by.run.runId }),
    ]);
    expect((await waitFor(next.run, id)).status).toBe(200);
  });
});

describe('400 validation_failed', () => {
  it('names what is no action of the task', async () => {
    const [by, other] = [await newProposer(), await newProposer()];
    const [id, foreign] = [await awaiting(app, by), await awaiting(app, other)];
    for (const [place, unknown] of [
      [1, foreign],
      [1, randomUUID()],
    ] as const)
      expect(issueOf(await waitFor(by.run, id, unknown))).toEqual([
        400,
        'validation_failed',
        'unknown_reference',
        `output.result.actionIds.${place}`,
      ]);
    expect((await waitFor(by.run, id)).status).toBe(200);
  });

  it.each([[[]], [['x']], [Array.from({ length: 51 }, () => randomUUID())]])(
    'takes no list like %j',
    async (actionIds) => {
      const by = await newProposer();
      const answer = await complete(by.run, result({ kind: 'action_wait', actionIds }));
      expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, 'output.result.actionIds']);
    },
  );
});

describe('409 state_conflict', () => {
  it('wants what was proposed before the task changed proposed again, which is 200', async () => {
    const by = await newProposer();
    const body = { dedupeKey: 'again', arguments: { n: 1 } };
    const id = (await propose(app, by, body)).body.data.id as string;
    await app.db.query('update task set version = version + 1 where id = $1', [by.run.taskId]);
    expect(issueOf(await waitFor(by.run, id))).toEqual([
      409,
      'state_conflict',
      'stale_receipt',
      'output.result.actionIds.0',
    ]);
    expect((await propose(app, by, body)).status).toBe(200);
    expect((await waitFor(by.run, id)).status).toBe(200);
  });

  it('leaves no unresolved action out', async () => {
    const by = await newProposer();
    const [first, second] = [await awaiting(app, by), await approved(app, owner, by)];
    const refused = await waitFor(by.run, first);
    expect(issueOf(refused)).toEqual([409, 'state_conflict', 'unnamed_action', 'output.result.actionIds']);
    expect(refused.body.error.issues[0].message).toContain(second);
  });

  it('completes nothing while an action is unresolved, and leaves the run alive', async () => {
    const by = await newProposer();
    const id = await awaiting(app, by);
    const refused = await complete(by.run, COMPLETED);
    expect(issueOf(refused)).toEqual([409, 'state_conflict', 'unresolved_actions', 'output.result.kind']);
    expect((await onRun(app, by.run, 'heartbeat')).status).toBe(200);
    await onAction(owner, by.run, id, 'reject');
    expect((await complete(by.run, COMPLETED)).status).toBe(200);
  });

  it.each([
    [
      'plan',
      { kind: 'planned', expectedGraphRevision: 1, operations: [{ kind: 'create_task', ref: 'a', ...taskBody() }] },
    ],
    ['verify', { kind: 'verification', verdict: 'accepted', findings: [] }],
  ] as const)('ends no run in mode "%s" as done either', async (phase, outcome) => {
    const by = await proposer(app, owner, organization.id, { phase });
    await awaiting(app, by);
    const staged = await app
      .client(by.run.executionToken)
      .put(`/internal/agent/organizations/${organization.id}/execution/outcome`, { summary: 'Fine.', ...outcome });
    expect([staged.status, staged.text]).toEqual([200, expect.any(String)]);
    expect(issueOf(await complete(by.run, result({ kind: outcome.kind })))).toEqual([
      409,
      'state_conflict',
      'unresolved_actions',
      'output.result.kind',
    ]);
  });
});
