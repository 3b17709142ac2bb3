import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { openByAgent } from '../../support/factories/inbox.ts';
import { lapseRun, onRun, startClaimed, type StartedRun } from '../../support/factories/work.ts';
import { TestApp } from '../../support/test-app.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** A profile learns in one task at a time, and answers that come meanwhile give exactly one more. */
const app = useTestApp({ ownDatabase: true });
/** Another process on the same database. */
let other: TestApp;
beforeAll(async () => {
  other = await TestApp.start({ databaseUrl: app.databaseUrl });
});
afterAll(() => other.close());

const ROUNDS = Number(process.env.LEARNING_ROUNDS ?? 4);

const openCycles = async ({ organizationId }: Workplace) => {
  const { rows } = await app.db.query<{ status: string }>(
    `select status from task where organization_id = $1 and kind = 'learning' order by created_at, id`,
    [organizationId],
  );
  return rows.map(({ status }) => status);
};

/** What both processes do every five seconds, at once. */
const tick = () => Promise.all([app.runJob('learning-refresh'), other.runJob('learning-refresh')]);

async function ask(place: Workplace, { executionToken }: StartedRun): Promise<string> {
  const question = { purpose: 'learning_input', title: 'Always?' };
  return openByAgent(app.client(executionToken), place.organizationId, question);
}

const answer = async (place: Workplace, itemId: string) => {
  const { status } = await place.owner.post(place.path(`/human-inbox/${itemId}/respond`), { response: 'Yes.' });
  expect(status).toBe(200);
};

/** Ends the cycle of a run. */
async function learn(place: Workplace, run: StartedRun, expectedRevision: number): Promise<void> {
  const outcome = {
    kind: 'learning',
    summary: 'Done.',
    expectedRevision,
    watermarkTaskId: null,
    lessons: [],
    suggestions: [],
  };
  const staged = await app.client(run.executionToken).put(place.agentPath('/execution/outcome'), outcome);
  expect([staged.status, staged.text]).toEqual([200, staged.text]);
  const result = { kind: 'learning', summary: 'Done.' };
  const ended = await onRun(app, run, 'complete', { output: { kind: 'task_result', result } });
  expect(ended.body.data.taskStatus).toBe('completed');
}

it('thirty refreshes at once give one task', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = await Workplace.open(app);
    const agent = (await place.run()).agent;
    const owner = other.client(place.owner.token);
    const callers = [place.owner, owner, agent];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, nth) => callers[nth % 3]!.post(place.path('/learning/growth/refresh'))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.data.taskId)).size).toBe(1);
    expect(await openCycles(place)).toEqual(['pending']);
  }
}, 60_000);

it('answers during a cycle give exactly one more, whether or not its worker dies', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = await Workplace.open(app);
    await place.owner.post(place.path('/learning/growth/refresh'));
    let run = await startClaimed(app, place.organizationId);
    const items = [await ask(place, run), await ask(place, run), await ask(place, run)];
    // Nothing is asked for before an answer.
    await tick();
    expect(await openCycles(place)).toEqual(['running']);
    await Promise.all([tick(), answer(place, items[0]!), answer(place, items[1]!)]);
    await tick();
    expect(await openCycles(place)).toEqual(['running']);
    if (round % 2 === 1) {
      await lapseRun(app, run);
      await app.runJob('runs-expire');
      await tick();
      await app.db.query(`update run_request set available_at = clock_timestamp() where organization_id = $1`, [
        place.organizationId,
      ]);
      await app.runJob('run-requests-due');
      run = await startClaimed(app, place.organizationId);
    }
    await Promise.all([tick(), answer(place, items[2]!), tick(), learn(place, run, 0)]);
    await tick();
    expect(await openCycles(place)).toEqual(['completed', 'pending']);
    await learn(place, await startClaimed(app, place.organizationId), 1);
    await tick();
    expect(await openCycles(place)).toEqual(['completed', 'completed']);
  }
}, 60_000);

it('an answer waits for its profile and for work to be dispatched', async () => {
  const place = await Workplace.open(app);
  await place.owner.post(place.path('/learning/growth/refresh'));
  const run = await startClaimed(app, place.organizationId);
  const item = await ask(place, run);
  await learn(place, run, 0);
  const profile = place.path(`/agent-profiles/${place.profile('growth')}`);
  await place.owner.patch(profile, { status: 'disabled' });
  await answer(place, item);
  await tick();
  await place.owner.put(place.path('/work-dispatch'), { status: 'stopped' });
  await place.owner.patch(profile, { status: 'enabled' });
  await tick();
  expect(await openCycles(place)).toEqual(['completed']);
  await place.owner.put(place.path('/work-dispatch'), { status: 'running' });
  await tick();
  expect(await openCycles(place)).toEqual(['completed', 'pending']);
});
