import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { saying } from '../../support/factories/chats.ts';
import { company } from '../../support/client.ts';
import { RuntimeProcess } from '../../support/processes/runtime-process.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

const LIMIT_MS = 60_000;
/** Longer than a test takes: an answer stands still behind its first piece. */
const STILL_MS = 600_000;
const HELP = `I know the tasks of this organization. Ask me, for one:
- what do we know about our customers?
- what has growth learned?
- what is the status of ENG-7?
- why is ENG-7 waiting?
- what is blocked?
- create a task: find out why checkout fails
- create a task for growth: rank the customers
`;
const CREATED = 'I created GRO-1 “Rank the customers”.\n';

describe('the reference runtime, asked in a chat', () => {
  let db: pg.Pool;
  let service: ServiceProcess;
  let base: string;
  let chat: { readonly id: string; readonly title: string };
  let runtime: RuntimeProcess | undefined;

  beforeAll(async () => {
    const url = await freshDatabase('migrated');
    db = new pg.Pool({ connectionString: url, max: 1 });
    service = await ServiceProcess.start({ env: onDatabase(url) });
  }, LIMIT_MS);
  afterAll(async () => {
    await ServiceProcess.killAll();
    await db.end();
  });
  beforeEach(async () => {
    const created = await call('POST', '/organizations', company(), { 'idempotency-key': randomUUID() });
    base = `/organizations/${created.data.organization.id}`;
    [chat] = (await call('GET', `${base}/chats`)).data;
  });
  afterEach(() => runtime?.stop('SIGKILL'));

  it(
    'answers from the data of the organization, piece by piece, and says what the chat is about',
    async () => {
      await handIn({ title: 'Gather', scheduledAt: '2999-01-01T00:00:00Z' });
      await handIn({ title: 'Report', dependsOn: [{ taskRef: 'GRO-1' }] });
      start(1_000);
      const id = await post('What is blocked?');
      await streams(id);
      expect(await read(id)).toMatchObject({ status: 'streaming', text: 'GRO-2 “Report” is blocked.\n' });
      expect(await answered(id)).toMatchObject({
        status: 'complete',
        text: 'GRO-2 “Report” is blocked.\n- It waits for GRO-1 “Gather”, which is pending.\n',
      });
      expect(await titleNow()).toBe('What is blocked?');
      for (const [question, text] of [
        [
          'status of gro-1',
          'GRO-1 “Gather” is pending, in its phase execute.\nIt is scheduled for 2999-01-01T00:00:00',
        ],
        ['Why is GRO-2 waiting?', `in its phase execute.\nIt waits for GRO-1 “Gather”, which is pending.\nOwners see`],
        ['What is the state of ENG-99?', 'There is no task ENG-99.\n'],
        ['Create a task for nobody: sleep', 'I could not create the task: '],
      ] as const)
        expect(await answered(await post(question))).toMatchObject({
          status: 'complete',
          text: expect.stringContaining(text),
        });
      expect(await titleNow()).toBe('What is blocked?');
    },
    LIMIT_MS,
  );

  it(
    'creates a task that says where it comes from',
    async () => {
      start();
      const id = await post('Please create a task for growth: Rank the customers\nAll of them.');
      expect(await answered(id)).toMatchObject({ status: 'complete', text: expect.stringContaining(CREATED) });
      expect(await tasksOfChat()).toMatchObject([
        {
          identifier: 'GRO-1',
          title: 'Rank the customers',
          spec: { objective: 'Rank the customers\nAll of them.' },
          sourceChatId: chat.id,
          sourceMessageId: await questionOf(id),
        },
      ]);
    },
    LIMIT_MS,
  );

  it(
    'ends as its owner wishes, with the text so far',
    async () => {
      start(2_000);
      const id = await post('Hello!');
      await streams(id);
      expect((await call('POST', `${base}/chats/${chat.id}/messages/${id}/cancel`)).data.status).toBe('cancelling');
      const { status, text } = await answered(id);
      expect(status).toBe('cancelled');
      expect([text.length > 0, text.length < HELP.length, HELP.startsWith(text)]).toEqual([true, true, true]);
      await until('it heard that', () => runtime!.log.includes('answer cancelled'), LIMIT_MS);
      start();
      expect(await answered(await post('Hello again!'))).toMatchObject({ status: 'complete', text: HELP });
    },
    LIMIT_MS,
  );

  it(
    'answers once what it was killed over, and creates nothing twice',
    async () => {
      start(STILL_MS);
      const id = await post('create a task for growth: Rank the customers');
      await streams(id);
      expect((await read(id)).text).toBe(CREATED);
      await runtime!.stop('SIGKILL');
      // As if it had been silent for long.
      await db.query(`update message set heartbeat_at = heartbeat_at - interval '1 hour' where id = $1`, [id]);
      start();
      const text = `${CREATED}Ask me for the status of GRO-1 at any time.\n`;
      expect(await answered(id)).toMatchObject({ status: 'complete', text });
      expect(runtime!.log).toContain('1 chat turns');
      expect(runtime!.log).toContain('attempt 2: create a task');
      expect(await tasksOfChat()).toMatchObject([{ identifier: 'GRO-1', sourceMessageId: await questionOf(id) }]);
      const { data: messages } = await call('GET', `${base}/chats/${chat.id}/messages`);
      expect(messages).toHaveLength(2);
    },
    LIMIT_MS,
  );

  it(
    'gives an answer back when it is stopped',
    async () => {
      start(STILL_MS);
      const id = await post('Hello!');
      await streams(id);
      expect(await runtime!.stop('SIGTERM')).toBe(0);
      expect(await read(id)).toMatchObject({ status: 'pending', text: '' });
      start();
      expect(await answered(id)).toMatchObject({ status: 'complete', text: HELP });
    },
    LIMIT_MS,
  );

  function start(paceMs = 0): void {
    void runtime?.stop('SIGKILL');
    runtime = new RuntimeProcess(service.baseUrl, process.env.TEST_FOLDER!, paceMs);
  }

  async function call(method: string, path: string, body?: object, headers?: Record<string, string>) {
    return (await service.call(method, path, BOOTSTRAP_TOKEN, body, headers)).body;
  }

  async function handIn(task: object): Promise<void> {
    const body = { ownerAgentProfileKey: 'growth', spec: { objective: 'Do it' }, ...task };
    expect((await call('POST', `${base}/tasks`, body)).statusCode).toBe(201);
  }

  /** The id of the answer that is to come. */
  async function post(text: string): Promise<string> {
    const { statusCode, data } = await call('POST', `${base}/chats/${chat.id}/messages`, saying(text));
    expect(statusCode).toBe(202);
    return data.assistantMessage.id;
  }

  async function read(id: string): Promise<{ status: string; text: string }> {
    const { status, parts } = (await call('GET', `${base}/messages/${id}`)).data;
    return { status, text: parts.map((part: { text: string }) => part.text).join('') };
  }

  /** The person's message that an answer replies to. */
  async function questionOf(id: string): Promise<string> {
    return (await call('GET', `${base}/messages/${id}`)).data.replyToMessageId;
  }

  async function streams(id: string): Promise<void> {
    await until('it has begun to answer', async () => (await read(id)).text !== '', LIMIT_MS);
  }

  async function answered(id: string) {
    await until(
      'the answer has ended',
      async () => ['complete', 'failed', 'cancelled'].includes((await read(id)).status),
      LIMIT_MS,
    );
    return read(id);
  }

  async function titleNow(): Promise<string> {
    return (await call('GET', `${base}/chats/${chat.id}`)).data.title;
  }

  async function tasksOfChat() {
    return (await call('GET', `${base}/tasks?sourceChatId=${chat.id}`)).data;
  }
});
