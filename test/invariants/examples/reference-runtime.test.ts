import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Api } from '../../../examples/agent-runtime/src/api.ts';
import { PlayedOwner } from '../../../scripts/demo/deciders.ts';
import { Memory } from '../../../scripts/demo/memory.ts';
import { askAbout, SignUp } from '../../../scripts/demo/onboarding.ts';
import { Screen } from '../../../scripts/demo/task-tree.ts';
import { company } from '../../support/client.ts';
import { RuntimeProcess } from '../../support/processes/runtime-process.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

const LIMIT_MS = 30_000;
/** From sign-up to departments at work: jobs look each two seconds. */
const WHOLE_MS = 90_000;
const HEADER =
  'order_id,ordered_on,customer,contact,country,channel,product,quantity,unit_price,discount_percent,status,note';
const ORDER = '1,2026-05-01,Acme,orders@acme.example,DE,website,Plan,2,10.00,0,paid,';

describe('the reference runtime', () => {
  let service: ServiceProcess;
  let workspace: string;
  let base: string;
  let runtime: RuntimeProcess | undefined;

  beforeAll(async () => {
    // Heartbeats every two seconds: a cancel is heard soon.
    service = await ServiceProcess.start({
      env: onDatabase(await freshDatabase('migrated'), {
        RUN_LEASE_SECONDS: '6',
        OBJECT_STORE_DIR: mkdtempSync(join(process.env.TEST_FOLDER!, 'objects-')),
      }),
    });
  }, WHOLE_MS);
  afterAll(() => ServiceProcess.killAll());
  beforeEach(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'workspace-'));
    const created = await call('POST', '/organizations', company(), { 'idempotency-key': randomUUID() });
    base = `/organizations/${created.data.organization.id}`;
  });
  afterEach(async () => {
    await runtime?.stop('SIGKILL');
    rmSync(workspace, { recursive: true });
  });

  it(
    'delivers artifacts whose bytes are what their digests say',
    async () => {
      writeFileSync(join(workspace, 'orders.csv'), `${HEADER}\n${ORDER}\n`);
      const taskId = await handIn('orders.csv');
      runtime = new RuntimeProcess(service.baseUrl, workspace);
      const task = await ended(taskId);
      expect(task).toMatchObject({
        status: 'completed',
        result: {
          summary:
            '1 paid orders of 1 customers bring €20.00; 1 customers make up 80 % of it. 0 orders (€0.00) were refunded.',
        },
      });
      const [run] = (await call('GET', `${base}/runs?taskId=${taskId}`)).data;
      expect(run).toMatchObject({ status: 'succeeded', workerId: 'reference', usage: { toolCalls: 2 } });
      expect(run.output.result.artifacts).toHaveLength(2);
      for (const { sha256 } of run.output.result.artifacts) {
        const answer = await fetch(`${service.baseUrl}${base}/runs/${run.id}/artifacts/${sha256}`, {
          headers: { authorization: `Bearer ${BOOTSTRAP_TOKEN}` },
        });
        const bytes = Buffer.from(await answer.arrayBuffer());
        expect([answer.status, createHash('sha256').update(bytes).digest('hex')]).toEqual([200, sha256]);
      }
      const { data: logs } = await call('GET', `${base}/runs/${run.id}/logs`);
      expect(logs.map(({ label }: { label: string }) => label)).toEqual([
        'growth, execute, attempt 1',
        'step orders',
        'step ranking',
        'completed',
      ]);
    },
    LIMIT_MS,
  );

  it(
    'says what is wrong with its input, and does not try in vain again',
    async () => {
      mkdirSync(join(workspace, 'in'));
      writeFileSync(join(workspace, 'in/orders.csv'), `${HEADER}\n${ORDER}\n1,2\n`);
      const broken = await handIn('in/orders.csv');
      const missing = await handIn('in/none.csv');
      runtime = new RuntimeProcess(service.baseUrl, workspace);
      for (const [taskId, code, message] of [
        [broken, 'csv_malformed', 'in/orders.csv, line 3: 2 fields where the header has 12'],
        [missing, 'input_missing', 'The workspace has no in/none.csv'],
      ] as const) {
        expect(await ended(taskId)).toMatchObject({ status: 'failed', agentRunCount: 1 });
        const [run] = (await call('GET', `${base}/runs?taskId=${taskId}`)).data;
        expect(run).toMatchObject({ status: 'failed', error: { code, message, class: 'config', retryable: false } });
      }
    },
    LIMIT_MS,
  );

  it(
    'stops a run that an owner cancels',
    async () => {
      writeFileSync(join(workspace, 'orders.csv'), `${HEADER}\n${ORDER}\n`);
      const taskId = await handIn('orders.csv');
      runtime = new RuntimeProcess(service.baseUrl, workspace, 60_000);
      await until('it works', () => runtime!.log.includes('growth, execute'), LIMIT_MS);
      expect((await call('POST', `${base}/tasks/${taskId}/cancel`)).statusCode).toBe(200);
      await until('it heard of it', () => runtime!.log.includes('run cancelled'), LIMIT_MS);
      const [run] = (await call('GET', `${base}/runs?taskId=${taskId}`)).data;
      expect([run.status, (await ended(taskId)).status]).toEqual(['cancelled', 'cancelled']);
    },
    LIMIT_MS,
  );

  it(
    'gives back what it holds when it is stopped, at no cost to the task',
    async () => {
      writeFileSync(join(workspace, 'orders.csv'), `${HEADER}\n${ORDER}\n`);
      const taskId = await handIn('orders.csv');
      runtime = new RuntimeProcess(service.baseUrl, workspace, 60_000);
      await until('it works', () => runtime!.log.includes('growth, execute'), LIMIT_MS);
      expect(await runtime.stop('SIGTERM')).toBe(0);
      const task = (await call('GET', `${base}/tasks/${taskId}`)).data;
      expect(task).toMatchObject({ status: 'pending', agentRunCount: 1, consumedAgentRunCount: 0 });
      runtime = new RuntimeProcess(service.baseUrl, workspace);
      expect(await ended(taskId)).toMatchObject({ status: 'completed', agentRunCount: 2, consumedAgentRunCount: 1 });
    },
    LIMIT_MS,
  );

  it(
    'takes a folder of files from sign-up to answers that cite them, lessons and departments that have begun',
    async () => {
      const folder = mkdtempSync(join(workspace, 'acme-'));
      mkdirSync(join(folder, 'support'));
      writeFileSync(join(folder, 'returns.txt'), 'We sell paper.\nReturned boxes are repaid within sixty days.\n');
      writeFileSync(join(folder, 'support/tone.md'), '# Tone\n\nWe answer in one day.\n');
      writeFileSync(join(folder, 'empty.txt'), '');
      writeFileSync(join(folder, 'program.exe'), 'MZ');
      const said: string[] = [];
      const screen = new Screen({ isTTY: false, write: (text: string) => said.push(text) > 0 } as never);
      const api = new Api(service.baseUrl, BOOTSTRAP_TOKEN);
      const memory = new Memory(join(workspace, 'memory'), folder);
      const signal = AbortSignal.timeout(WHOLE_MS);
      const organizationId = await new SignUp(api, memory, screen, signal).with(folder, new PlayedOwner(0, 'none'));
      expect(said.join('')).toMatch(/ - program\.exe stays here: .*\n/);
      expect(said.join('')).toMatch(
        /Reviewed: 2 of 3 sources .*\n[^!]* ! currency_missing: .*\n +! empty_file: “empty.txt” .*\n +! website_missing/,
      );
      base = `/organizations/${organizationId}`;
      expect((await call('POST', `${base}/integration-setup/complete`)).statusCode).toBe(200);
      runtime = new RuntimeProcess(service.baseUrl, workspace);
      const { taskId } = await askAbout(api, memory, organizationId, 'What do we say about returned boxes?', signal);
      const answer = await ended(taskId);
      expect(answer).toMatchObject({
        status: 'completed',
        result: { summary: '“Returned boxes are repaid within sixty days.” (returns.txt)' },
      });
      // A task of its words has the passage in its manifest.
      const asked = await ended(await post('/tasks', { title: 'Returned boxes', spec: { objective: 'Repaid when?' } }));
      const [run] = (await call('GET', `${base}/runs?taskId=${asked.id}`)).data;
      const { data: logs } = await call('GET', `${base}/runs/${run.id}/logs`);
      expect(logs).toContainEqual(
        expect.objectContaining({
          label: 'knows: 1',
          detail: 'returns.txt: We sell paper. Returned boxes are repaid within sixty days.',
        }),
      );

      const cycle = (await call('POST', `${base}/learning/operator/refresh`)).data;
      expect(await ended(cycle.taskId)).toMatchObject({ status: 'completed' });
      const again = await ended(await post('/tasks', { title: 'Returned boxes', spec: { objective: 'Repaid when?' } }));
      const [later] = (await call('GET', `${base}/runs?taskId=${again.id}`)).data;
      const { data: lines } = await call('GET', `${base}/runs/${later.id}/logs`);
      const labels: string[] = lines.map(({ label }: { label: string }) => label);
      expect(labels).toContainEqual(expect.stringMatching(/^remembers: \d$/));

      let discovery = { status: '', intentions: [], departments: {} };
      const isComplete = async () => {
        discovery = (await call('GET', `${base}/discovery`)).data;
        return discovery.status === 'complete';
      };
      await until('the organization has found out about itself', isComplete, WHOLE_MS);
      expect(discovery.intentions.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
      expect((await call('GET', `${base}/tasks?kind=discovery`)).data).toHaveLength(4);
      const { items: records } = (await call('GET', `${base}/knowledge?origin=execution`)).data;
      const keys = records.map(({ metadata }: { metadata: { key: string } }) => metadata.key);
      expect(keys.toSorted()).toEqual(['company-profile', 'customers', 'market', 'support-begins']);
      const [chat] = (await call('GET', `${base}/chats`)).data;
      const messages = `/chats/${chat.id}/messages`;
      const text = 'What do we know about our customers?';
      const message = { author: { kind: 'human', displayName: 'Ada' }, parts: [{ kind: 'text', text }] };
      const { id } = (await call('POST', base + messages, message)).data.assistantMessage;
      let shown = { status: '', parts: [{ text: '' }] };
      const isAnswered = async () => (shown = (await call('GET', `${base}/messages/${id}`)).data).status === 'complete';
      await until('the chat answers', isAnswered, WHOLE_MS);
      const { evidence } = records.find(
        ({ metadata }: { metadata: { key: string } }) => metadata.key === 'customers',
      ).metadata;
      expect(shown.parts.map((part) => part.text).join('')).toContain(
        `(customers.md, /runs/${evidence[0].runId}/artifacts/${evidence[0].sha256})`,
      );
    },
    WHOLE_MS,
  );

  async function post(path: string, body: object): Promise<string> {
    return (await call('POST', base + path, body)).data.id;
  }

  async function call(method: string, path: string, body?: object, headers?: Record<string, string>) {
    return (await service.call(method, path, BOOTSTRAP_TOKEN, body, headers)).body;
  }

  async function handIn(path: string): Promise<string> {
    const inputs = [{ kind: 'uri', uri: `workspace:${path}` }];
    const spec = { objective: 'Rank the customers', inputs };
    const answer = await call('POST', `${base}/tasks`, { title: 'Rank', ownerAgentProfileKey: 'growth', spec });
    expect(answer.statusCode).toBe(201);
    return answer.data.id;
  }

  async function ended(taskId: string) {
    let task = { id: taskId, status: 'pending' };
    await until(
      'the task has ended',
      async () => {
        task = (await call('GET', `${base}/tasks/${taskId}`)).data;
        return ['completed', 'failed', 'cancelled'].includes(task.status);
      },
      LIMIT_MS,
    );
    return task;
  }
});
