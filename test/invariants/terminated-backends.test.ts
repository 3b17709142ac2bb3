import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { Database } from '../../src/kernel/database/index.ts';
import { firstChat } from '../support/chats.ts';
import { type Answer, type Client, organizationOf } from '../support/client.ts';
import { taskBody } from '../support/tasks.ts';
import { TestApp } from '../support/test-app.ts';
import { freshDatabase } from '../support/test-database.ts';
import { CLAIM_PATH, onRun, startedRun, type StartedRun } from '../support/work.ts';

const POOL_SIZE = 20;
const KILLS = 20;
const WRITERS = 16;

const LOG_ENTRY = {
  sequence: 1,
  category: 'execution',
  status: 'info',
  label: 'A step',
  occurredAt: '2026-03-01T09:30:00Z',
};

interface Heard {
  readonly what: string;
  readonly beganAt: number;
  readonly status: number;
}

let app: TestApp;
let owner: Client;
let organizationId: string;
let chatId: string;
let run: StartedRun;

beforeAll(async () => {
  // Of its own: all that is connected to it is cut off.
  app = await TestApp.start({
    databaseUrl: await freshDatabase('migrated'),
    env: { DATABASE_POOL_SIZE: String(POOL_SIZE), RUN_LEASE_SECONDS: '3600' },
  });
  app.db.on('error', () => undefined);
  owner = await app.person();
  organizationId = await organizationOf(owner);
  chatId = await firstChat(app, organizationId);
  run = await startedRun(app, organizationId);
});
afterAll(() => app.close());

/** Every way in which calls take connections: entities, statements, batches, shared calls, claims, reads. */
const CALLS: Readonly<Record<string, () => Promise<Answer>>> = {
  'task with entities': () => owner.post(`/organizations/${organizationId}/tasks`, taskBody()),
  'organization with entities': () => owner.patch(`/organizations/${organizationId}`, { name: randomUUID() }),
  'the administrator, counted': () => app.bootstrap.patch(`/organizations/${organizationId}`, { name: randomUUID() }),
  'directory with entities': () => owner.post('/owner-tokens', { name: 'another' }),
  statements: () => owner.patch(`/organizations/${organizationId}/chats/${chatId}`, { title: randomUUID() }),
  'shared heartbeat': () => onRun(app, run, 'heartbeat'),
  'shared logs': () => onRun(app, run, 'logs', { entries: [LOG_ENTRY] }),
  claim: () =>
    app.service.post(CLAIM_PATH, { workerId: 'w', bootId: randomUUID(), organizationIds: [randomUUID()], limit: 1 }),
  'durability of a run': () =>
    app
      .client(run.executionToken)
      .put(`/internal/agent/organizations/${organizationId}/durability/task/${run.taskId}.${randomUUID()}`, {
        kind: 'k',
        payload: {},
        expectedVersion: 0,
      }),
  list: () => owner.get(`/organizations/${organizationId}/tasks?limit=5`),
};

async function write(heard: Heard[], until: AbortSignal): Promise<void> {
  const calls = Object.entries(CALLS);
  for (let at = 0; !until.aborted; at += 1) {
    const [what, call] = calls[at % calls.length]!;
    const beganAt = performance.now();
    const { status, text } = await call();
    heard.push({ what: status < 500 ? what : `${what}: ${text}`, beganAt, status });
  }
}

async function terminateAll(): Promise<void> {
  await app.db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name = 'business-runner'`,
  );
}

/** Holds every connection of every lane at once, and asks each for something. */
async function usableConnections(): Promise<number> {
  const { urgent, ordinary, background } = app.app.get(Database)['lanes'];
  const held: pg.PoolClient[] = [];
  for (const { connections } of [urgent, ordinary, background])
    for (let at = 0; at < connections.app.pool.options.max; at += 1) held.push(await connections.app.pool.connect());
  const answers = await Promise.all(held.map((client) => client.query('select 1')));
  for (const client of held) client.release();
  return answers.length;
}

describe('a connection that the server ends under a call', () => {
  it('fails that call only, and costs no place in the pool', async () => {
    for (const [what, call] of Object.entries(CALLS)) {
      const { status, text } = await call();
      expect({ what, ok: status < 300, text: status < 300 ? '' : text }).toEqual({ what, ok: true, text: '' });
    }
    const heard: Heard[] = [];
    const over = new AbortController();
    const writers = Array.from({ length: WRITERS }, () => write(heard, over.signal));
    for (let kill = 0; kill < KILLS; kill += 1) {
      await wait(Math.random() * 150);
      await terminateAll();
    }
    const mendedAt = performance.now() + 1_000;
    await wait(1_600);
    over.abort();
    await Promise.all(writers);

    const failed = heard.filter(({ status }) => status >= 300);
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([503]));
    expect(heard.filter(({ beganAt }) => beganAt > mendedAt).length).toBeGreaterThan(WRITERS);
    expect(failed.filter(({ beganAt }) => beganAt > mendedAt)).toEqual([]);
    expect(await usableConnections()).toBe(POOL_SIZE);
  });
});
