import { expect, it } from '@jest/globals';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { lessonRow } from '../../support/factories/learning.ts';
import { endTask } from '../../support/factories/tasks.ts';
import { onRun } from '../../support/factories/work.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** A lesson that an owner takes back in the middle of a cycle does not come back, under its own key or another. */
const app = useTestApp();

const ROUNDS = Number(process.env.LEARNING_ROUNDS ?? 8);

async function stagedCycle() {
  const place = await Workplace.open(app);
  const { organizationId } = place;
  const source = await place.task();
  await endTask(app, organizationId, source);
  await lessonRow(app, organizationId, { key: 'first', lesson: 'Prices change on Fridays.' });
  await lessonRow(app, organizationId, { key: 'second', lesson: 'Old prices hold until then.' });
  for (const [key, lesson] of [
    ['gone', 'This gives way to another one.'],
    ['fifth', 'Nobody buys on Mondays.'],
  ])
    await lessonRow(app, organizationId, { key, lesson });
  const run = await place.run({ task: { kind: 'learning' } });
  const outcome = {
    kind: 'learning',
    summary: 'Looked at the work.',
    expectedRevision: 1,
    watermarkTaskId: source,
    lessons: [
      { key: 'first', lesson: 'Prices change on Fridays, mostly.', sourceTaskIds: [source] },
      { key: 'second', lesson: 'Old prices hold until then.' },
      { key: 'third', lesson: 'prices CHANGE on fri\u00ADdays\u200B', sourceTaskIds: [source] },
      { key: 'fourth', lesson: 'Something else.', sourceTaskIds: [source], supersedes: 'gone' },
      // As it stands, without its sources.
      { key: 'fifth', lesson: 'Nobody buys on Mondays.' },
    ],
    suggestions: [],
  };
  const staged = await run.agent.put(place.agentPath('/execution/outcome'), outcome);
  expect([staged.status, staged.text]).toEqual([200, staged.text]);
  const complete = () => {
    const output = { kind: 'task_result', result: { kind: 'learning', summary: 'Looked at the work.' } };
    return onRun(app, { organizationId, runId: run.runId, leaseToken: run.leaseToken }, 'complete', { output });
  };
  const revoke = (key = 'first') =>
    place.owner.delete(place.path(`/learning/growth/lessons/${key}?reason=That%20was%20one%20week`));
  const memory = async () => (await place.owner.get(place.path('/learning/growth'))).body.data.memory;
  return { place, complete, revoke, memory };
}

const keysOf = (memory: { lessons: { key: string }[] }) => memory.lessons.map(({ key }) => key).sort();

it('stays away when the cycle ends behind the revocation', async () => {
  const { place, complete, revoke, memory } = await stagedCycle();
  for (const key of ['first', 'gone', 'fifth']) expect((await revoke(key)).status).toBe(200);
  expect((await complete()).body.data.taskStatus).toBe('completed');
  const after = await memory();
  expect([after.revision, keysOf(after)]).toEqual([5, ['fourth', 'second']]);
  const log = await place.owner.get(place.path('/activity?verb=memory.learned'));
  expect(log.body.data[0].details).toMatchObject({ lessons: 2, dropped: 3 });
});

it('goes, under its key, whichever of both commits first', async () => {
  const first = { revocation: 0, cycle: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { complete, revoke, memory } = await stagedCycle();
    const calls = [() => revoke(), complete];
    const answers = await Promise.all((round % 2 === 0 ? calls : calls.toReversed()).map((call) => call()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const keys = keysOf(await memory());
    expect(keys).not.toContain('first');
    expect(keys).toEqual(expect.arrayContaining(['fourth', 'second']));
    // Behind the cycle it was another text that was taken back, so the same words under another key stay.
    first[keys.includes('third') ? 'cycle' : 'revocation'] += 1;
  }
  expect(first.cycle + first.revocation).toBe(ROUNDS);
}, 60_000);
