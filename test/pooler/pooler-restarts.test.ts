import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/index.ts';
import { migrate } from '../../src/kernel/database/index.ts';
import { ormOptions } from '../../src/mikro-orm.config.ts';
import { everyPath, usableConnections, Writers } from '../support/database/interrupted-calls.ts';
import { PgBouncer } from '../support/peers/pgbouncer.ts';
import { TestApp } from '../support/test-app.ts';
import { until } from '../support/until.ts';

const POOL_SIZE = 20;
const WRITERS = 16;
const ROUNDS = 3;
/** PgBouncer tries the server once a second (`server_login_retry`), the service a new connection at once. */
const MENDED_MS = 2_000;

const folder = mkdtempSync(join(tmpdir(), 'pooler-restarts-'));
let server: EmbeddedServer;
let pooler: PgBouncer;
let app: TestApp;
let calls: Awaited<ReturnType<typeof everyPath>>;

async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  const fast = { fsync: 'off', synchronous_commit: 'off' };
  server = await startEmbeddedServer({ dataDir: join(folder, 'data'), settings: { ...fast, ...settings } });
}

beforeAll(async () => {
  chmodSync(folder, 0o755);
  await startServer();
  const { url } = server;
  await migrate(ormOptions, { url, directUrl: url, dispatchUrl: url });
  pooler = await PgBouncer.start(url, { default_pool_size: 6 });
  const addresses = { DATABASE_URL: pooler.through(url), DATABASE_DIRECT_URL: url, DATABASE_PREPARED: 'off' };
  const env = { ...addresses, DATABASE_POOL_SIZE: String(POOL_SIZE), RUN_LEASE_SECONDS: '3600' };
  app = await TestApp.start({ databaseUrl: url, env });
  app.db.on('error', () => undefined);
  calls = await everyPath(app);
}, 60_000);
afterAll(async () => {
  await app.close();
  await pooler.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** Lets writers work while something happens again and again; answers those that failed, and those that did so later. */
async function during(happens: () => Promise<unknown>) {
  const writers = new Writers(calls, WRITERS);
  for (let round = 0; round < ROUNDS; round += 1) {
    await wait(Math.random() * 200);
    await happens();
  }
  const mendedAt = performance.now() + MENDED_MS;
  const after = () => writers.heard.filter(({ beganAt }) => beganAt > mendedAt);
  await until('every writer is heard again', () => after().length > WRITERS, 30_000);
  await writers.stop();
  return { failed: writers.failed(), failedLater: writers.failed(mendedAt) };
}

/** Ends the pooler by a signal and starts it again. */
const restarted = (signal: NodeJS.Signals) => async () => {
  await pooler.end(signal);
  await wait(Math.random() * 200);
  await pooler.begin();
};

describe('a pooler under traffic', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['reads its settings again', () => pooler.command('reload')],
    [
      'pauses for a moment',
      async () => {
        await pooler.command('pause');
        await wait(300);
        await pooler.command('resume');
      },
    ],
  ])(
    'that %s fails no call',
    async (_, happens) => {
      const { failed } = await during(happens);
      expect(failed).toEqual([]);
      expect(await usableConnections(app)).toBe(POOL_SIZE);
    },
    60_000,
  );

  it.each<[string, () => Promise<unknown>]>([
    // PgBouncer takes a login that a second RECONNECT cuts off for one that the server refused.
    ['exchanges its connections to the server', () => pooler.command('reconnect')],
    ['ends by SIGTERM and starts again', restarted('SIGTERM')],
    ['ends by SIGINT and starts again', restarted('SIGINT')],
    ['ends by SIGKILL and starts again', restarted('SIGKILL')],
    [
      'loses its server, which starts again',
      async () => {
        const { port } = new URL(server.url);
        await server.stop();
        await startServer({ port });
      },
    ],
  ])(
    'that %s costs only calls in flight, and no connection',
    async (_, happens) => {
      const { failed, failedLater } = await during(happens);
      expect(failed.filter(({ status }) => status !== 503)).toEqual([]);
      expect(failedLater).toEqual([]);
      expect(await usableConnections(app)).toBe(POOL_SIZE);
    },
    60_000,
  );
});
