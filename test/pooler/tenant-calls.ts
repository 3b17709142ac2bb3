import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { Reads, sql, sqlState, Transactions } from '../../src/kernel/database/index.ts';
import type { Answer, Client, Person } from '../support/client.ts';
import { createChat, postMessage } from '../support/factories/chats.ts';
import { createTask, taskBody } from '../support/factories/tasks.ts';
import { CLAIM_PATH, onRun, startedRun, type StartedRun } from '../support/factories/work.ts';
import { entrant, organizationOf } from '../support/client.ts';
import type { TestApp } from '../support/test-app.ts';

const TASKS = 12;
const PAGE = 10;
const ENTRY = { sequence: 1, category: 'execution', status: 'info', label: 'x', occurredAt: '2026-03-01T09:30:00Z' };
/** What no row may ever hold: it is written only in transactions that are undone. */
export const UNDONE = 'UNDONE';

/** A call and what is wrong with its answer, if anything is. */
export type Call = readonly [what: string, call: () => Promise<string | undefined>];

/** An organization whose every text holds a mark, so that a row of it is known wherever it appears. */
export class Tenant {
  private constructor(
    readonly app: TestApp,
    readonly mark: string,
    readonly owner: Person,
    readonly organizationId: string,
    readonly taskId: string,
    readonly chatId: string,
    readonly run: StartedRun,
    readonly agent: Client,
  ) {}

  static async open(app: TestApp, mark: string): Promise<Tenant> {
    const owner = await app.person(mark);
    const organizationId = await organizationOf(owner, { name: `${mark} ${randomUUID()}` });
    const chatId = await createChat(owner, organizationId, mark);
    await postMessage(owner, organizationId, chatId, mark);
    const run = await startedRun(app, organizationId);
    for (let task = 0; task < TASKS; task += 1) await createTask(owner, organizationId, { title: mark });
    const agent = app.client(run.executionToken);
    return new Tenant(app, mark, owner, organizationId, run.taskId, chatId, run, agent);
  }

  get path(): string {
    return `/organizations/${this.organizationId}`;
  }

  get agentPath(): string {
    return `/internal/agent${this.path}`;
  }

  /** Every kind of call: reads, writes, those of workers and executions, and those that are refused or fail. */
  calls(other: Tenant, pooled: string): readonly Call[] {
    return [...this.reads(other), ...this.writes(other), ...this.refusals(other), ...this.failures(pooled)];
  }

  private reads(other: Tenant): Call[] {
    const { owner, path, agent, mark, organizationId } = this;
    const marked = ({ text }: Answer) => text.includes(mark);
    const own = (count: number) => (answer: Answer) =>
      answer.body.data.length === count &&
      (answer.body.data as { organizationId: string }[]).every((row) => row.organizationId === organizationId);
    const read = (what: string, call: () => Promise<Answer>, right: (answer: Answer) => boolean): Call => [
      what,
      () => this.wrong(other, call, 200, right),
    ];
    return [
      read('organization', () => owner.get(path), marked),
      read(
        'organizations',
        () => owner.get('/organizations'),
        ({ body }) => body.data.length === 1 && body.data[0].id === organizationId,
      ),
      read('tasks', () => owner.get(`${path}/tasks?limit=${PAGE}`), own(PAGE)),
      read('search of tasks', () => owner.get(`${path}/tasks?limit=${PAGE}&search=${mark}`), own(PAGE)),
      read(
        'task',
        () => owner.get(`${path}/tasks/${this.taskId}`),
        ({ body }) => body.data.id === this.taskId,
      ),
      read('chats', () => owner.get(`${path}/chats`), marked),
      read('messages', () => owner.get(`${path}/chats/${this.chatId}/messages`), marked),
      read(
        'activity',
        () => owner.get(`${path}/activity?limit=5`),
        ({ body }) => body.data.length === 5,
      ),
      read('profiles', () => owner.get(`${path}/agent-profiles`), own(5)),
      read(
        'runs',
        () => owner.get(`${path}/runs`),
        ({ body }) => body.data.length === 1 && body.data[0].id === this.run.runId,
      ),
      read('manifest', () => agent.get(`${this.agentPath}/execution`), marked),
      read('tasks of an agent', () => agent.get(`${this.agentPath}/tasks`), own(1)),
    ];
  }

  private writes(other: Tenant): Call[] {
    const { app, owner, path, agent, mark, run } = this;
    const write = (what: string, call: () => Promise<Answer>, status = 200): Call => [
      what,
      () => this.wrong(other, call, status, () => true),
    ];
    const key = () => `${this.agentPath}/durability/task/${run.taskId}.${randomUUID()}`;
    const claim = () => ({ workerId: mark, bootId: randomUUID(), organizationIds: [this.organizationId], limit: 1 });
    return [
      write('organization with entities', () => owner.patch(path, { name: `${mark} ${randomUUID()}` })),
      write('task with entities', () => owner.post(`${path}/tasks`, taskBody({ title: mark })), 201),
      write('chat with statements', () => owner.patch(`${path}/chats/${this.chatId}`, { title: `${mark} chat` })),
      write('checkpoint', () => agent.put(key(), { kind: 'k', payload: { mark }, expectedVersion: 0 })),
      write('heartbeat', () => onRun(app, run, 'heartbeat')),
      write('logs', () => onRun(app, run, 'logs', { entries: [{ ...ENTRY, label: mark }] })),
      write('claim', () => app.service.post(CLAIM_PATH, claim())),
    ];
  }

  private refusals(other: Tenant): Call[] {
    const { app, owner, path, agent, run } = this;
    const refused = (what: string, status: number, call: () => Promise<Answer>): Call => [
      what,
      () => this.wrong(other, call, status, () => true),
    ];
    return [
      refused('foreign tasks', 404, () => owner.get(`${other.path}/tasks`)),
      refused('foreign task in its own', 404, () => owner.get(`${path}/tasks/${other.taskId}`)),
      refused('foreign name', 404, () => owner.patch(other.path, { name: UNDONE })),
      refused('foreign chat', 404, () => owner.patch(`${path}/chats/${other.chatId}`, { title: UNDONE })),
      refused('foreign task of an agent', 404, () => agent.get(`${this.agentPath}/tasks/${other.taskId}`)),
      refused('foreign run', 409, () => onRun(app, { ...run, organizationId: other.organizationId }, 'heartbeat')),
      refused('unknown property', 400, () => owner.patch(path, { mark: UNDONE })),
    ];
  }

  /** What ends in the middle of a batch or transaction, after it has entered the organization and changed a row. */
  private failures(pooled: string): Call[] {
    const { organizationId, owner, chatId } = this;
    const reads = this.app.app.get(Reads);
    const transactions = this.app.app.get(Transactions);
    const change = sql`
      update chat set title = ${UNDONE} where organization_id = ${organizationId} and id = ${chatId} returning id`;
    const fails = sql`select 1 / ${0}::int`;
    const briefly = sql`select set_config('statement_timeout', '5ms', true)`;
    const sleep = sql`select pg_sleep(${0.5})`;
    const caller = entrant(owner.subject);
    const failing = (what: string, state: string, call: () => Promise<unknown>): Call => [
      what,
      () =>
        call().then(
          () => 'it succeeded',
          (error: unknown) => (sqlState(error) === state ? undefined : `it failed with ${String(error)}`),
        ),
    ];
    return [
      failing('failing read', '22012', () => reads.inOrganization(caller, organizationId, fails)),
      failing('failing statement', '22012', () =>
        transactions.statementsInOrganization(caller, organizationId, async (tx) => {
          await tx.rows(change);
          await tx.rows(fails);
        }),
      ),
      failing('failing batch', '22012', () =>
        transactions.statementsInOrganization(caller, organizationId, (tx) => tx.batch([change, fails, change])),
      ),
      failing('failing transaction of entities', '22012', () =>
        transactions.inOrganization(caller, organizationId, async (tx) => {
          await tx.rows(change);
          await tx.rows(fails);
        }),
      ),
      failing('failing dispatch', '22012', () => transactions.dispatchBatch([fails])),
      failing('timed out batch', '57014', () =>
        transactions.statementsInOrganization(caller, organizationId, (tx) => tx.batch([change, briefly, sleep])),
      ),
      ['vanishing client', () => this.vanish(pooled)],
    ];
  }

  /** A process that dies with an open transaction in the organization while its statement runs. */
  private async vanish(pooled: string): Promise<string | undefined> {
    const client = new pg.Client({ connectionString: pooled });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('begin');
    const context = { role: 'br_app', 'app.subject': this.owner.subject, 'app.org': this.organizationId };
    for (const [name, value] of Object.entries(context))
      await client.query('select set_config($1, $2, true)', [name, value]);
    await client.query('update chat set title = $1 where id = $2', [UNDONE, this.chatId]);
    client.query('select pg_sleep(0.02)').catch(() => undefined);
    await wait(2);
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    return undefined;
  }

  /** What is wrong with an answer: its status, what it lacks, or what it holds of the other organization. */
  private async wrong(
    other: Tenant,
    call: () => Promise<Answer>,
    status: number,
    right: (answer: Answer) => boolean,
  ): Promise<string | undefined> {
    const answer = await call();
    if (answer.text.includes(other.mark) || answer.text.includes(other.organizationId))
      return `it tells of the other organization: ${answer.text.slice(0, 300)}`;
    if (answer.status !== status || !right(answer)) return `${answer.status}: ${answer.text.slice(0, 300)}`;
    return undefined;
  }
}
