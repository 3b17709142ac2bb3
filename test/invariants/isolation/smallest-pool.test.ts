import { describe, expect, it } from '@jest/globals';
import { everyPath, Writers } from '../../support/database/interrupted-calls.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const JOBS = [
  'runs-expire',
  'run-requests-due',
  'schedules-fire',
  'task-liveness',
  'turns-forgotten',
  'organization-purge',
];
const ROUNDS = 3;

const app = useTestApp({ ownDatabase: true, env: { DATABASE_POOL_SIZE: '2', RUN_LEASE_SECONDS: '3600' } });

describe('two connections', () => {
  it('are enough for every kind of call and job at once: none that holds one asks for another', async () => {
    const calls = await everyPath(app);
    const writers = new Writers(calls, 8);
    for (let round = 0; round < ROUNDS; round += 1) for (const job of JOBS) await app.runJob(job);
    const wanted = 3 * Object.keys(calls).length;
    await until('each was called', () => writers.heard.length >= wanted, 15_000);
    await writers.stop();
    expect(writers.failed()).toEqual([]);
  }, 30_000);
});
