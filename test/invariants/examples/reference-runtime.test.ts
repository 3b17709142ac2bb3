import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { company } from '../../support/client.ts';
import { RuntimeProcess } from '../../support/processes/runtime-process.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

const LIMIT_MS = 30_000;
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
  }, LIMIT_MS);
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
    let task = { status: 'pending' };
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
