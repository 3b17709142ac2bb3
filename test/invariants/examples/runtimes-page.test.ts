import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshDatabase } from '../../support/database/test-database.ts';
import { folderWith } from '../../support/folders.ts';
import { OrganizationAt } from '../../support/processes/organization-at.ts';
import { ProgramProcess } from '../../support/processes/program-process.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { SERVICE_TOKEN } from '../../support/test-app.ts';

const LIMIT_MS = 30_000;
const page = readFileSync(join(import.meta.dirname, '../../../docs/runtimes.md'), 'utf8');
/** The program as it stands in the page. */
const program = /```js\n([^]*?)```/.exec(page)![1]!;

describe('the runtime of docs/runtimes.md', () => {
  let service: ServiceProcess;
  let organization: OrganizationAt;
  let runtime: ProgramProcess | undefined;

  beforeAll(async () => {
    service = await ServiceProcess.start({ env: onDatabase(await freshDatabase('migrated')) });
  }, LIMIT_MS);
  afterAll(() => ServiceProcess.killAll());
  beforeEach(async () => {
    organization = await OrganizationAt.create(service, LIMIT_MS);
  });
  afterEach(async () => {
    await runtime?.stop('SIGKILL');
    expect(runtime?.stderr ?? '').toBe('');
    runtime = undefined;
  });

  it('is short', () => {
    const code = program.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
    expect(code.length).toBeLessThanOrEqual(60);
  });

  it(
    'plans, works, verifies and answers',
    async () => {
      const spec = { objective: 'Do it', verification: 'required' };
      const planned = await organization.createTask({ title: 'Split it', phase: 'plan', spec });
      const answer = await organization.post('What do you do?');
      start();
      expect(await organization.taskEnded(planned)).toMatchObject({
        status: 'completed',
        result: { summary: 'Split it, after 1 children' },
        agentRunCount: 3,
      });
      const [child] = await organization.call('GET', `/tasks?parentId=${planned}`);
      expect(child).toMatchObject({ status: 'completed', result: { summary: 'Split it, after 0 children' } });
      expect(await organization.answerEnded(answer)).toEqual({
        status: 'complete',
        text: 'You wrote: What do you do?',
      });
    },
    LIMIT_MS,
  );

  it(
    'goes on with what its worker held when it crashed',
    async () => {
      const taskId = await organization.createTask({ spec: { objective: 'Do it' } });
      const worker = { workerId: 'sixty', bootId: randomUUID() };
      const only = { organizationIds: [organization.id], limit: 1 };
      const [claim] = await organization.work('/run-requests/claim', { ...worker, ...only });
      const { organizationId, leaseToken } = claim;
      const started = { ...worker, organizationId, leaseToken, runId: randomUUID() };
      await organization.work(`/run-requests/${claim.runRequestId}/start`, started);
      start();
      expect(await organization.taskEnded(taskId)).toMatchObject({ status: 'completed', agentRunCount: 2 });
      const runs = await organization.call('GET', `/runs?taskId=${taskId}`);
      expect(runs.map(({ status }: { status: string }) => status).toSorted()).toEqual(['expired', 'succeeded']);
    },
    LIMIT_MS,
  );

  function start(): void {
    const file = join(folderWith('runtime.mjs', program), 'runtime.mjs');
    runtime = new ProgramProcess(process.execPath, [file], {
      BUSINESS_RUNNER_URL: service.baseUrl,
      AGENT_SERVICE_TOKEN: SERVICE_TOKEN,
      WORKER_ID: 'sixty',
    });
  }
});
