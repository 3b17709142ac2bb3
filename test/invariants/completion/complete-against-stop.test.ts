import { expect, it } from '@jest/globals';
import {
  claim,
  COMPLETED,
  onRun,
  queueTask,
  rowsOf,
  startedRun,
  type StartedRun,
} from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });

const complete = (run: StartedRun) => onRun(app, run, 'complete', COMPLETED);
const dispatch = (status: string) => owner.put(`/organizations/${organization.id}/work-dispatch`, { status });

/** A completion is the same before, during and after a stop; what waits is handed out again only when work is. */
async function settled(run: StartedRun, completion: { status: number }): Promise<void> {
  expect(completion.status).toBe(200);
  expect(await rowsOf(app, run)).toMatchObject({
    task: { status: 'completed' },
    request: { status: 'completed' },
    runs: [{ status: 'succeeded' }],
  });
  expect((await claim(app, organization.id)).body.data).toEqual([]);
  await dispatch('running');
  expect((await claim(app, organization.id)).body.data).toHaveLength(1);
}

async function running(): Promise<StartedRun> {
  const run = await startedRun(app, organization.id);
  await queueTask(app, organization.id);
  return run;
}

it('completes a run after the stop', async () => {
  const run = await running();
  await dispatch('stopped');
  await settled(run, await complete(run));
});

it('completes a run before the stop', async () => {
  const run = await running();
  const completion = await complete(run);
  await dispatch('stopped');
  await settled(run, completion);
});

it('completes a run that meets the stop', async () => {
  const run = await running();
  const [completion, stop] = await Promise.all([complete(run), dispatch('stopped')]);
  expect(stop.body.data.status).toBe('stopped');
  await settled(run, completion);
});
