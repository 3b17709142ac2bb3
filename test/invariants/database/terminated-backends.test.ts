import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { everyPath, usableConnections, Writers } from '../../support/database/interrupted-calls.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const POOL_SIZE = 20;
const KILLS = 20;
const WRITERS = 16;

// Of its own: all that is connected to it is cut off.
const app = useTestApp({
  ownDatabase: true,
  env: { DATABASE_POOL_SIZE: String(POOL_SIZE), RUN_LEASE_SECONDS: '3600' },
});

async function terminateAll(): Promise<void> {
  await app.db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name = 'business-runner'`,
  );
}

describe('a connection that the server ends under a call', () => {
  it('fails that call only, and costs no place in the pool', async () => {
    const calls = await everyPath(app);
    for (const [what, call] of Object.entries(calls)) {
      const { status, text } = await call();
      expect({ what, ok: status < 300, text: status < 300 ? '' : text }).toEqual({ what, ok: true, text: '' });
    }
    const writers = new Writers(calls, WRITERS);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await wait(Math.random() * 150);
      await terminateAll();
    }
    const mendedAt = performance.now() + 1_000;
    const after = () => writers.heard.filter(({ beganAt }) => beganAt > mendedAt);
    await until('every writer is heard again', () => after().length > WRITERS, 30_000);
    await writers.stop();

    expect(new Set(writers.failed().map(({ status }) => status))).toEqual(new Set([503]));
    expect(writers.failed(mendedAt)).toEqual([]);
    expect(await usableConnections(app)).toBe(POOL_SIZE);
  }, 60_000);
});
