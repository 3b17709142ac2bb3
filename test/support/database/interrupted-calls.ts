import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Database } from '../../../src/kernel/database/index.ts';
import { firstChat } from '../factories/chats.ts';
import { type Answer, organizationOf } from '../client.ts';
import { taskBody } from '../factories/tasks.ts';
import type { TestApp } from '../test-app.ts';
import { CLAIM_PATH, onRun, startedRun } from '../factories/work.ts';

const LOG_ENTRY = {
  sequence: 1,
  category: 'execution',
  status: 'info',
  label: 'A step',
  occurredAt: '2026-03-01T09:30:00Z',
};

type Calls = Readonly<Record<string, () => Promise<Answer>>>;

/** Every way in which calls take connections: entities, statements, batches, shared calls, claims, reads. */
export async function everyPath(app: TestApp): Promise<Calls> {
  const owner = await app.person();
  const organizationId = await organizationOf(owner);
  const path = `/organizations/${organizationId}`;
  const chatId = await firstChat(app, organizationId);
  const run = await startedRun(app, organizationId);
  const execution = app.client(run.executionToken);
  const key = () => `/internal/agent${path}/durability/task/${run.taskId}.${randomUUID()}`;
  const claim = () => ({ workerId: 'w', bootId: randomUUID(), organizationIds: [randomUUID()], limit: 1 });
  return {
    'task with entities': () => owner.post(`${path}/tasks`, taskBody()),
    'organization with entities': () => owner.patch(path, { name: randomUUID() }),
    'the administrator, counted': () => app.bootstrap.patch(path, { name: randomUUID() }),
    'directory with entities': () => owner.post('/owner-tokens', { name: 'another' }),
    statements: () => owner.patch(`${path}/chats/${chatId}`, { title: randomUUID() }),
    'shared heartbeat': () => onRun(app, run, 'heartbeat'),
    'shared logs': () => onRun(app, run, 'logs', { entries: [LOG_ENTRY] }),
    claim: () => app.service.post(CLAIM_PATH, claim()),
    'durability of a run': () => execution.put(key(), { kind: 'k', payload: {}, expectedVersion: 0 }),
    list: () => owner.get(`${path}/tasks?limit=5`),
  };
}

interface Heard {
  /** Of a failure with the answer. */
  readonly what: string;
  readonly beganAt: number;
  readonly status: number;
}

/** Writers that call one path after the other until they are told to stop. */
export class Writers {
  readonly heard: Heard[] = [];
  private readonly over = new AbortController();
  private readonly writers: readonly Promise<void>[];

  constructor(calls: Calls, count: number) {
    this.writers = Array.from({ length: count }, (_, at) => this.write(Object.entries(calls), at));
  }

  /** What failed, of the calls that began from then on where that is said. */
  failed(sinceMs = 0): Heard[] {
    return this.heard.filter(({ status, beganAt }) => status >= 300 && beganAt >= sinceMs);
  }

  async stop(): Promise<void> {
    this.over.abort();
    await Promise.all(this.writers);
  }

  private async write(calls: readonly (readonly [string, () => Promise<Answer>])[], first: number): Promise<void> {
    for (let at = first; !this.over.signal.aborted; at += 1) {
      const [what, call] = calls[at % calls.length]!;
      const beganAt = performance.now();
      const { status, text } = await call();
      this.heard.push({ what: status < 300 ? what : `${what}: ${text}`, beganAt, status });
    }
  }
}

/** Takes every connection of every lane at once and asks each for something; answers how many did. */
export async function usableConnections(app: TestApp): Promise<number> {
  const held: pg.PoolClient[] = [];
  for (const { connections } of Object.values(app.app.get(Database)['lanes'])) {
    const { pool } = connections.app;
    for (let at = 0; at < pool.options.max; at += 1) held.push(await pool.connect());
  }
  const answers = await Promise.all(held.map((client) => client.query('select 1')));
  for (const client of held) client.release();
  return answers.length;
}
