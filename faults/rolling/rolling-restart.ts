import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/embedded/index.ts';
import { Attempt, type Claim } from '../attempt.ts';
import { check } from '../checker.ts';
import type { Heard } from '../client.ts';
import type { Findings } from '../findings.ts';
import { History, type Intent, readHistory } from '../history.ts';
import { Random } from '../random.ts';
import { readRows } from '../rows.ts';
import { CarefulClient, Traffic } from './careful-client.ts';
import { Replica } from './replica.ts';
import { StreamReader } from './stream-reader.ts';

export interface RollingOptions {
  readonly databaseUrl: string;
  /** Gets logs and histories. */
  readonly folder: string;
  /** The least of each; work goes on until both are reached. */
  readonly lifecycles: number;
  readonly restartsOfEach: number;
  readonly organizations: number;
  readonly workers: number;
  /** Schedules that fire once each, spread over this time. */
  readonly slots: number;
  readonly slotsWithinMs: number;
}

export interface RollingReport extends Findings {
  readonly lifecycles: number;
  readonly restarts: number;
  readonly seconds: number;
  readonly traffic: Traffic;
  readonly answers: number;
  readonly reconnects: number;
  readonly slots: number;
}

const REPLICAS = 3;
const READERS_OF_EACH = 2;
/** Open tasks for each worker: enough to keep it busy. */
const OPEN_TASKS = 1.5;
const DRAIN_LIMIT_MS = 120_000;
const READ_LIMIT_MS = 60_000;
const DRAIN_SECONDS = '1';

interface Organization {
  readonly id: string;
  readonly chatId: string;
  readonly profileId: string;
}

/**
 * Restarts three replicas one after the other while owners, runtimes, readers of streams and schedules use all of them,
 * and compares what the clients were told with what the database holds.
 */
export async function rollingRestart(options: RollingOptions): Promise<RollingReport> {
  const run = await RollingRun.start(options);
  try {
    return await run.toItsEnd();
  } finally {
    await run.stop();
  }
}

class RollingRun {
  private readonly options: RollingOptions;
  private readonly startedAt = performance.now();
  private readonly traffic = new Traffic();
  /** Ends the work, and then the reading. */
  private readonly over = new AbortController();
  private readonly gone = new AbortController();
  private readonly ownerToken = randomBytes(32).toString('base64url');
  private readonly serviceToken = randomBytes(32).toString('base64url');
  private readonly historyFolder: string;
  private readonly pool: pg.Pool;
  private readonly clients: CarefulClient[] = [];
  private readonly readers: StreamReader[] = [];
  /** Texts by the id of the answer. */
  private readonly written = new Map<string, { readonly chatPath: string; readonly text: string }>();
  private readonly slotTitles: string[] = [];
  private readonly problems: string[] = [];
  private replicas: Replica[] = [];
  private restarts = 0;
  private created = 0;
  private ended = 0;

  private constructor(options: RollingOptions) {
    this.options = options;
    this.historyFolder = join(options.folder, 'history');
    mkdirSync(this.historyFolder, { recursive: true });
    this.pool = new pg.Pool({ connectionString: options.databaseUrl, max: 2 });
    // The database may stop before a connection that has been given up has closed.
    this.pool.on('error', () => {});
  }

  static async start(options: RollingOptions): Promise<RollingRun> {
    const run = new RollingRun(options);
    const env = {
      DATABASE_URL: options.databaseUrl,
      OBJECT_STORE_DIR: join(options.folder, 'objects'),
      OWNER_BOOTSTRAP_TOKEN: run.ownerToken,
      AGENT_SERVICE_TOKENS: run.serviceToken,
      CAPABILITY_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
      LOG_LEVEL: 'warn',
      SHUTDOWN_DRAIN_SECONDS: DRAIN_SECONDS,
      DATABASE_POOL_SIZE: '10',
    };
    for (let n = 1; n <= REPLICAS; n += 1)
      run.replicas.push(new Replica(await freePort(), env, join(options.folder, `replica-${n}.log`)));
    try {
      await Promise.all(run.replicas.map((replica) => replica.start()));
    } catch (error) {
      await run.stop();
      throw error;
    }
    return run;
  }

  async toItsEnd(): Promise<RollingReport> {
    const organizations: Organization[] = [];
    for (let n = 1; n <= this.options.organizations; n += 1) organizations.push(await this.openOrganization(n));
    await this.schedule(organizations);
    const readers = organizations.flatMap(({ id, chatId }) =>
      Array.from({ length: READERS_OF_EACH }, () => this.read(eventsPath(id, chatId))),
    );
    const workers = Array.from({ length: this.options.workers }, (_, n) => this.work(`worker-${n}`));
    const rolling = this.roll();
    const writers = organizations.map((organization) =>
      this.write(organization).catch((error: Error) => this.problems.push(`a writer of answers: ${error.message}`)),
    );
    await Promise.all([this.handIn(organizations), rolling]);
    await this.untilAllEnded();
    this.over.abort();
    await Promise.all([...workers, ...writers]);
    this.gone.abort();
    await Promise.all(readers);
    return this.report();
  }

  async stop(): Promise<void> {
    for (const end of [this.over, this.gone]) end.abort();
    for (const client of this.clients) client.close();
    for (const replica of this.replicas) replica.kill();
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.pool.end();
  }

  private async report(): Promise<RollingReport> {
    const rows = await readRows(async <T extends object>(text: string) => (await this.pool.query<T>(text)).rows);
    const findings = check(readHistory(this.historyFolder), rows);
    const titles = new Set(rows.tasks.map(({ title }) => title));
    for (const title of this.slotTitles) if (!titles.has(title)) findings.lost.push(`${title} made no task`);
    for (const [n, reader] of this.readers.entries()) {
      findings.wrong.push(...reader.broken.map((each) => `reader ${n}: ${each}`));
      for (const [id, { chatPath, text }] of this.written)
        if (reader.path === chatPath && reader.texts.get(id) !== text)
          findings.lost.push(`reader ${n} has ${reader.texts.get(id)} of ${id}, not ${text}`);
    }
    findings.wrong.push(...this.problems);
    return {
      ...findings,
      lifecycles: rows.tasks.filter(({ status }) => status === 'completed').length,
      restarts: this.restarts,
      seconds: Math.round((performance.now() - this.startedAt) / 1_000),
      traffic: this.traffic,
      answers: this.written.size,
      reconnects: this.readers.reduce((sum, reader) => sum + reader.reconnects, 0),
      slots: this.slotTitles.length,
    };
  }

  private async openOrganization(n: number): Promise<Organization> {
    const owner = this.client(`setup-${n}`);
    const send = (method: 'GET' | 'POST', path: string, body?: object, token = this.ownerToken) =>
      this.expect(
        200,
        owner.call({ method, path, token, ...(body ? { body, idempotencyKey: randomUUID() } : {}), intent: OTHER }),
      );
    const company = {
      name: `Rolling ${n}`,
      website: 'https://rolling.example',
      timezone: 'UTC',
      defaultCurrency: 'EUR',
    };
    const { id } = (await send('POST', '/organizations', company)).organization;
    const [chat] = await send('GET', `/organizations/${id}/chats`);
    const profiles: { id: string; key: string }[] = await send('GET', `/organizations/${id}/agent-profiles`);
    return { id, chatId: chat.id, profileId: profiles.find(({ key }) => key === 'growth')!.id };
  }

  /** Schedules with one slot each. */
  private async schedule(organizations: readonly Organization[]): Promise<void> {
    const client = this.client('schedules');
    const firstMs = Date.now() + 2_000;
    for (let n = 0; n < this.options.slots; n += 1) {
      const { id, profileId } = organizations[n % organizations.length]!;
      const title = `Slot ${n}`;
      const at = new Date(firstMs + (n * this.options.slotsWithinMs) / this.options.slots).toISOString();
      const body = {
        name: title,
        agentProfileId: profileId,
        trigger: { kind: 'once', at },
        task: { title, objective: 'Do it' },
      };
      const path = `/internal/agent/organizations/${id}/schedules`;
      await this.expect(200, client.call({ method: 'POST', path, token: this.serviceToken, body, intent: OTHER }));
      this.slotTitles.push(title);
    }
  }

  /** Stops and starts one replica after the other until each was restarted often enough, and all work is handed in. */
  private async roll(): Promise<void> {
    const { restartsOfEach, lifecycles } = this.options;
    for (let round = 0; round < restartsOfEach || this.created < lifecycles; round += 1) {
      for (const replica of this.replicas) {
        const code = await replica.stop();
        if (code !== 0) this.problems.push(`${replica.baseUrl} ended with ${code}`);
        await replica.start();
        this.restarts += 1;
      }
    }
    this.rolled = true;
  }

  private rolled = false;

  private async handIn(organizations: readonly Organization[]): Promise<void> {
    const client = this.client('owner');
    while (!this.rolled || this.created < this.options.lifecycles) {
      if (this.created - this.ended >= OPEN_TASKS * this.options.workers) {
        await wait(20);
        continue;
      }
      const { id } = organizations[this.created % organizations.length]!;
      const title = randomUUID();
      const body = {
        title,
        spec: { objective: 'Do it' },
        ownerAgentProfileKey: PROFILES[this.created % PROFILES.length]!,
      };
      await client
        .call({
          method: 'POST',
          path: `/organizations/${id}/tasks`,
          token: this.ownerToken,
          body,
          idempotencyKey: randomUUID(),
          intent: { op: 'task.create', title, dependsOn: [] },
        })
        .catch(ignore);
      this.created += 1;
    }
  }

  private async work(workerId: string): Promise<void> {
    const client = this.client(workerId);
    const runtime = { client, token: this.serviceToken, workerId, bootId: randomUUID(), random: new Random(workerId) };
    while (!this.over.signal.aborted) {
      const heard = await this.claim<Claim>(client, '/internal/run-requests/claim', workerId, runtime.bootId);
      for (const claim of heard) {
        await new Attempt(runtime, claim).take().catch(ignore);
        this.ended += 1;
      }
    }
  }

  private async claim<T>(
    client: CarefulClient,
    path: string,
    workerId: string,
    bootId: string,
    rest = {},
  ): Promise<T[]> {
    const body = { workerId, bootId, requestKey: randomUUID(), limit: 1, waitSeconds: 1, ...rest };
    const heard = await client
      .call({ method: 'POST', path, token: this.serviceToken, body, intent: OTHER })
      .catch(ignore);
    return heard?.status === 200 ? (heard.body.data as T[]) : [];
  }

  /** Asks in a chat and writes the answers, as person and as runtime. */
  private async write({ id: organizationId, chatId }: Organization): Promise<void> {
    const client = this.client(`writer-${organizationId}`);
    const bootId = randomUUID();
    for (let n = 0; !this.over.signal.aborted; n += 1) {
      const message = {
        author: { kind: 'human', displayName: 'Owner' },
        parts: [{ kind: 'text', text: `Question ${n}` }],
      };
      const path = `/organizations/${organizationId}/chats/${chatId}/messages`;
      const asked = client.call({
        method: 'POST',
        path,
        token: this.ownerToken,
        body: message,
        idempotencyKey: randomUUID(),
        intent: OTHER,
      });
      if (!(await this.expect(200, asked).catch(ignore))) continue;
      let turns: { turnId: string; leaseToken: string }[] = [];
      while (turns.length === 0)
        turns = await this.claim(client, '/internal/chat-turns/claim', `writer-${organizationId}`, bootId, {
          organizationIds: [organizationId],
        });
      const [{ turnId, leaseToken }] = turns as [{ turnId: string; leaseToken: string }];
      const onTurn = (call: string, rest: object) => {
        const body = { organizationId, leaseToken, ...rest };
        return this.expect(
          200,
          client.call({
            method: 'POST',
            path: `/internal/chat-turns/${turnId}/${call}`,
            token: this.serviceToken,
            body,
            intent: OTHER,
          }),
        );
      };
      let whole = '';
      await onTurn('running', { harness: 'rolling', model: 'none' });
      for (let piece = 0; piece < 8; piece += 1) {
        const text = `Piece ${piece} of ${n}. `;
        await onTurn('append', { partId: 'p1', offset: whole.length, text });
        whole += text;
        await wait(25);
      }
      await onTurn('complete', { usage: { inputTokens: 0, outputTokens: 0, toolCalls: 0, costMinorUnits: 0 } });
      const chatPath = eventsPath(organizationId, chatId);
      this.written.set(turnId, { chatPath, text: whole });
      await this.untilRead(chatPath, turnId, whole);
    }
  }

  private async read(path: string): Promise<void> {
    const reader = new StreamReader(
      this.replicas.map(({ baseUrl }) => baseUrl),
      path,
      this.ownerToken,
      this.traffic,
    );
    this.readers.push(reader);
    await reader.follow(this.gone.signal);
  }

  private async untilAllEnded(): Promise<void> {
    const deadline = performance.now() + DRAIN_LIMIT_MS;
    const open = `select count(*)::int as open from task where status not in ('completed', 'failed', 'cancelled')`;
    const slots = `select count(*)::int as open from schedule where next_run_at is not null`;
    for (const text of [slots, open])
      while ((await this.pool.query<{ open: number }>(text)).rows[0]!.open > 0 && performance.now() < deadline)
        await wait(100);
  }

  /** Waits until every reader of the chat has this answer: one who was away for longer begins with the next one. */
  private async untilRead(chatPath: string, id: string, text: string): Promise<void> {
    const deadline = performance.now() + READ_LIMIT_MS;
    const isRead = () => this.readers.every((reader) => reader.path !== chatPath || reader.texts.get(id) === text);
    while (!isRead() && performance.now() < deadline) await wait(20);
  }

  private client(name: string): CarefulClient {
    const client = new CarefulClient(
      this.replicas.map(({ baseUrl }) => baseUrl),
      new History(this.historyFolder, name),
      this.traffic,
    );
    this.clients.push(client);
    return client;
  }

  /** The data of an answer that must be a success. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  private async expect(least: number, heard: Promise<Heard>): Promise<any> {
    const { status, body } = await heard;
    if (status < least || status > 299) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
    return body.data;
  }
}

const OTHER: Intent = { op: 'other', name: 'rolling' };
const PROFILES = ['operator', 'growth', 'engineering', 'support'];

function eventsPath(organizationId: string, chatId: string): string {
  return `/organizations/${organizationId}/chats/${chatId}/events`;
}

/** Calls without an answer are counted where they are made. */
function ignore(): undefined {}
