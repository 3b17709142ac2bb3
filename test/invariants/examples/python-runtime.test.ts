import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshDatabase } from '../../support/database/test-database.ts';
import { OrganizationAt } from '../../support/processes/organization-at.ts';
import { ProgramProcess } from '../../support/processes/program-process.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN, SERVICE_TOKEN } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const LIMIT_MS = 60_000;
/** Longer than a test takes: the runtime stands still behind its first step. */
const STILL = 600;
const REPORT = 'Ask: Read, Write, Check\nTell: Read, Write, Check\n';

describe('the runtime in Python', () => {
  let service: ServiceProcess;
  let organization: OrganizationAt;
  let runtime: ProgramProcess | undefined;

  beforeAll(async () => {
    if (spawnSync('python3', ['--version']).status !== 0)
      throw new Error('Python 3 is not installed, and its example cannot be tested; run `apt-get install python3`.');
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

  it(
    'does a plan whose tasks wait for each other, and repeats no step that it had stored when it was killed',
    async () => {
      const spec = { objective: 'Ask\nTell', verification: 'required' };
      const id = await organization.createTask({ title: 'Survey', phase: 'plan', spec });
      start(2);
      await says('Ask: Write');
      await runtime!.stop('SIGKILL');
      const killed = runtime!;
      start(0);
      expect(await organization.taskEnded(id)).toMatchObject({ status: 'completed', agentRunCount: 3 });
      expect(killed.log).toMatch(/^Ask: Read\nAsk: Write\n/);
      expect(runtime!.log).not.toContain('Ask: Read');
      const steps = ['Tell: Read', 'Tell: Write', 'Tell: Check', 'Survey: Ask', 'Survey: Tell'];
      expect(runtime!.log.split('\n').filter((line) => /^(Tell|Survey)/.test(line))).toEqual(steps);
      const children = await organization.call('GET', `/tasks?parentId=${id}&order=asc`);
      const [ask, tell] = children;
      expect(await statusesOfRuns(ask.id)).toEqual(['expired', 'succeeded']);
      expect(await statusesOfRuns(tell.id)).toEqual(['succeeded']);
      const [artifact] = tell.result.artifacts;
      const [run] = await organization.call('GET', `/runs?taskId=${tell.id}`);
      const path = `/organizations/${organization.id}/runs/${run.id}/artifacts/${artifact.sha256}`;
      const headers = { authorization: `Bearer ${BOOTSTRAP_TOKEN}` };
      const report = await (await fetch(service.baseUrl + path, { headers })).text();
      expect([report, createHash('sha256').update(report).digest('hex')]).toEqual([REPORT, artifact.sha256]);
    },
    LIMIT_MS,
  );

  it(
    'stops what an owner cancels, within seconds',
    async () => {
      const id = await organization.createTask({ title: 'Long', spec: { objective: 'Read\nWrite' } });
      start(STILL);
      await says('Long: Read');
      await organization.call('POST', `/tasks/${id}/cancel`);
      await until('its run has ended', async () => (await statusesOfRuns(id))[0] !== 'running', LIMIT_MS);
      expect(await statusesOfRuns(id)).toEqual(['cancelled']);
      expect(runtime!.log).toBe('Long: Read\n');
    },
    LIMIT_MS,
  );

  it(
    'answers word by word, also what it was killed over, and ends an answer as its owner wishes',
    async () => {
      const first = await organization.post('How are 𝒴ou?');
      start(STILL);
      await says('said You asked:');
      expect(await organization.call('GET', `/messages/${first}`)).toMatchObject({
        status: 'streaming',
        parts: [{ text: 'You asked: ' }],
      });
      await runtime!.stop('SIGKILL');
      start(0);
      expect(await organization.answerEnded(first)).toEqual({ status: 'complete', text: 'You asked: How are 𝒴ou? ' });
      await runtime!.stop('SIGKILL');
      const second = await organization.post('And now?');
      start(STILL);
      await says('said You asked:');
      const [chat] = await organization.call('GET', '/chats');
      await organization.call('POST', `/chats/${chat.id}/messages/${second}/cancel`);
      expect(await organization.answerEnded(second)).toEqual({ status: 'cancelled', text: 'You asked: ' });
    },
    LIMIT_MS,
  );

  function start(pace: number): void {
    runtime = new ProgramProcess('python3', ['examples/python-runtime/runtime.py'], {
      BUSINESS_RUNNER_URL: service.baseUrl,
      AGENT_SERVICE_TOKEN: SERVICE_TOKEN,
      WORKER_ID: 'python',
      WORKER_ALONE: 'true',
      PACE_SECONDS: String(pace),
    });
  }

  function says(line: string): Promise<void> {
    return until(`it says ${line}`, () => runtime!.log.includes(line), LIMIT_MS).catch((error: Error) => {
      throw new Error(`${error.message} It said: ${runtime!.log}${runtime!.stderr}`);
    });
  }

  /** The earliest first. */
  async function statusesOfRuns(taskId: string): Promise<string[]> {
    const runs = await organization.call('GET', `/runs?taskId=${taskId}&order=asc`);
    return runs.map(({ status }: { status: string }) => status);
  }
});
