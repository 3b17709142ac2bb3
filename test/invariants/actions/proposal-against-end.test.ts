import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import { meetAtLock, taskLock } from '../../support/database/waiting-calls.ts';
import { propose, useProbe } from '../../support/factories/actions.ts';
import { allowRuns, onRun, startedRun, type StartedRun, WORKPLACE } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/**
 * A proposal and the end of its run, task or chat have one order: what comes first is there for the other, and a proposal
 * behind the end is refused. Each order is made certain at the lock that both take.
 */
const { app, owner, organization } = useOrganization();
useProbe(app);
let run: StartedRun;
beforeEach(async () => {
  await allowRuns(app, organization.id, 100);
  run = await startedRun(app, organization.id);
  await onRun(app, run, 'running', WORKPLACE);
});

const place = { agentPath: (rest: string) => `/internal/agent/organizations/${organization.id}${rest}` };
const proposing = () => propose(app.client(run.executionToken), place);
const failing = () => onRun(app, run, 'fail', { error: { code: 'stuck', message: 'It is stuck.', retryable: false } });
const cancelling = () => owner.post(`/organizations/${organization.id}/tasks/${run.taskId}/cancel`);
const actions = async () => {
  const { rows } = await app.db.query<{ id: string; status: string }>(
    'select id, status from action where task_id = $1',
    [run.taskId],
  );
  return rows;
};
const atTask = (...calls: (() => Promise<Answer>)[]) => meetAtLock(app, taskLock(run), calls);

describe('a proposal against the failure of its run', () => {
  it('is there when it was first', async () => {
    const [proposed, failed] = await atTask(proposing, failing);
    expect([proposed!.status, failed!.status]).toEqual([201, 200]);
    expect(await actions()).toHaveLength(1);
  });

  it('is refused when it was second', async () => {
    const [failed, proposed] = await atTask(failing, proposing);
    expect([failed!.status, proposed!.status]).toEqual([200, 409]);
    expect(await actions()).toEqual([]);
  });
});

describe('a proposal against the end of its task', () => {
  it('is refused when it was second', async () => {
    const [cancelled, proposed] = await atTask(cancelling, proposing);
    expect([cancelled!.status, proposed!.status]).toEqual([200, 409]);
    expect(await actions()).toEqual([]);
  });
});

it('proposals of one key at the same moment are one action', async () => {
  const same = { arguments: { same: true }, dedupeKey: 'one' };
  const agent = app.client(run.executionToken);
  const answers = await Promise.all(Array.from({ length: 10 }, () => propose(agent, place, same)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: 9 }, () => 200),
    201,
  ]);
  expect(await actions()).toHaveLength(1);
});
