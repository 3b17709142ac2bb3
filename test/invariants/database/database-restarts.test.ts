import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/index.ts';
import { migrate } from '../../../src/kernel/database/index.ts';
import { ormOptions } from '../../../src/mikro-orm.config.ts';
import { everyPath, usableConnections, Writers } from '../../support/database/interrupted-calls.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const POOL_SIZE = 20;
const RESTARTS = 5;
const WRITERS = 16;

const folder = mkdtempSync(join(tmpdir(), 'database-restarts-'));
let server: EmbeddedServer;
let app: TestApp;

/** As an operator restarts it: the same data at the same address. */
async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  const fast = { fsync: 'off', synchronous_commit: 'off' };
  server = await startEmbeddedServer({ dataDir: join(folder, 'data'), settings: { ...fast, ...settings } });
}

beforeAll(async () => {
  chmodSync(folder, 0o755);
  await start();
  const { url } = server;
  await migrate(ormOptions, { url, directUrl: url, dispatchUrl: url });
  const env = { DATABASE_POOL_SIZE: String(POOL_SIZE), RUN_LEASE_SECONDS: '3600' };
  app = await TestApp.start({ databaseUrl: url, env });
  app.db.on('error', () => undefined);
}, 60_000);
afterAll(async () => {
  await app.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

describe('a database that is restarted again and again', () => {
  it('is used as before a second later, by every connection', async () => {
    const writers = new Writers(await everyPath(app), WRITERS);
    const { port } = new URL(server.url);
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      await wait(Math.random() * 200);
      await server.stop();
      await start({ port });
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
