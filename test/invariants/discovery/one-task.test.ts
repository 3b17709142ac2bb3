import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { discoveryOf } from '../../support/factories/discovery.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { evidenceOf, recordBody } from '../../support/factories/knowledge.ts';
import { allowRuns, COMPLETED, onRun, startClaimed } from '../../support/factories/work.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/**
 * The discovery of a new organization ends, with one task for each part of the research and each department, although the
 * process dies in the middle of every move once.
 */
const app = useTestApp({ ownDatabase: true });
let other: TestApp;
beforeAll(async () => {
  other = await TestApp.start({ databaseUrl: app.databaseUrl });
});
afterAll(() => other.close());

const tick = () => Promise.all([app.runJob('discovery'), other.runJob('discovery')]);

/**
 * Lets the job run into the lock of the intentions, behind all that a move does before it writes there, and cuts the
 * connection of each move off. Answers how many died.
 */
async function killedTick({ organizationId }: Workplace): Promise<number> {
  const holder = await app.db.connect();
  let killed = 0;
  try {
    await holder.query('begin');
    await holder.query('select from discovery_intention where organization_id = $1 for update', [organizationId]);
    let isOver = false;
    const job = app.runJob('discovery').finally(() => (isOver = true));
    await until('the job is over', async () => {
      const { rowCount } = await app.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      killed += rowCount ?? 0;
      return isOver;
    });
    await job;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  return killed;
}

/** Does what waits in the organization, as a runtime does: publishes what it finds, and completes. */
async function work(place: Workplace, count: number): Promise<void> {
  const { organizationId } = place;
  for (let nth = 0; nth < count; nth += 1) {
    const run = await startClaimed(app, organizationId);
    const evidence = await evidenceOf(app, organizationId, run.runId);
    const agent = app.client(run.executionToken);
    const published = await agent.post(place.agentPath('/knowledge'), recordBody({ evidence }));
    expect([published.status, published.text]).toEqual([201, published.text]);
    expect((await onRun(app, run, 'complete', COMPLETED)).body.data.taskStatus).toBe('completed');
  }
}

it('reaches its end with exactly one task each, although every move dies once', async () => {
  const place = await Workplace.open(app);
  const { organizationId, owner } = place;
  await allowRuns(app, organizationId, 10);
  const standing = async () => {
    const { status, intentions, departments } = await discoveryOf(owner, organizationId);
    return [
      status,
      ...intentions.map((each) => each.status),
      ...Object.values(departments).map((each) => each!.status),
    ];
  };
  const tasks = async () =>
    (
      await app.db.query<{ count: number }>(
        `select count(*)::int as count from task where organization_id = $1 and kind = 'discovery'`,
        [organizationId],
      )
    ).rows[0]!.count;
  const three = (status: string) => [status, status, status];
  // Beginning the research, settling it, beginning the departments, settling those.
  expect(await killedTick(place)).toBeGreaterThanOrEqual(3);
  expect([await standing(), await tasks()]).toEqual([['researching', ...three('pending'), ...three('waiting')], 0]);
  await tick();
  expect([await standing(), await tasks()]).toEqual([
    ['researching', ...three('task_created'), ...three('waiting')],
    3,
  ]);
  await work(place, 3);
  expect(await killedTick(place)).toBeGreaterThanOrEqual(3);
  expect((await standing())[0]).toBe('researching');
  await tick();
  expect((await standing())[0]).toBe('awaiting_integration_setup');
  await owner.post(place.path('/integration-setup/complete'));
  expect(await killedTick(place)).toBeGreaterThanOrEqual(3);
  await tick();
  expect([await standing(), await tasks()]).toEqual([
    ['departments_running', ...three('evidence_retained'), ...three('task_created')],
    6,
  ]);
  await work(place, 3);
  expect(await killedTick(place)).toBeGreaterThanOrEqual(3);
  await tick();
  expect([await standing(), await tasks()]).toEqual([
    ['complete', ...three('evidence_retained'), ...three('evidence_retained')],
    6,
  ]);
}, 60_000);
