import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { company } from '../../support/client.ts';
import { RuntimeProcess } from '../../support/processes/runtime-process.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN, SERVICE_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LIMIT_MS = 60_000;
const HELP = `I know the tasks of this organization. Ask me, for one:
- what do we know about our customers?
- what has growth learned?
- what is the status of ENG-7?
- why is ENG-7 waiting?
- what is blocked?
- create a task: find out why checkout fails
- create a task for growth: rank the customers
`;
const FIRST = 'I know the tasks of this organization. ';

/** The chat client of the examples as a process of its own, its input a pipe. */
class Terminal {
  screen = '';
  readonly exited: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(baseUrl: string, organizationId: string) {
    this.child = spawn(process.execPath, ['examples/chat-client/chat.ts', organizationId], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, BUSINESS_RUNNER_URL: baseUrl, OWNER_TOKEN: BOOTSTRAP_TOKEN },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout!.on('data', (chunk) => (this.screen += String(chunk)));
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
  }

  type(text: string): void {
    this.child.stdin!.write(text);
  }

  endOfInput(): void {
    this.child.stdin!.end();
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  shows(text: string): Promise<void> {
    return until(`the screen shows ${JSON.stringify(text)}`, () => this.screen.includes(text), LIMIT_MS);
  }
}

describe('the chat client', () => {
  let env: Record<string, string>;
  let service: ServiceProcess;
  let organizationId: string;
  let terminal: Terminal | undefined;
  let runtime: RuntimeProcess | undefined;

  beforeAll(async () => {
    env = onDatabase(await freshDatabase('migrated'));
    service = await ServiceProcess.start({ env });
  }, LIMIT_MS);
  afterAll(() => ServiceProcess.killAll());
  beforeEach(async () => {
    const key = { 'idempotency-key': randomUUID() };
    const { body } = await service.call('POST', '/organizations', BOOTSTRAP_TOKEN, company(), key);
    organizationId = body.data.organization.id;
    terminal = new Terminal(service.baseUrl, organizationId);
  });
  afterEach(async () => {
    terminal?.signal('SIGKILL');
    await Promise.all([terminal?.exited, runtime?.stop('SIGKILL')]);
  });

  it(
    'shows an answer as it is written, once and whole, over a restart of the service',
    async () => {
      runtime = new RuntimeProcess(service.baseUrl, process.env.TEST_FOLDER!, 1_000);
      await terminal!.shows('New chat (');
      terminal!.type('Hello!\n');
      await terminal!.shows(FIRST);
      expect(terminal!.screen).not.toContain('rank the customers');
      const { port } = new URL(service.baseUrl);
      await service.kill();
      service = await ServiceProcess.start({ env: { ...env, PORT: port } });
      await terminal!.shows(`${HELP}\n> `);
      expect(terminal!.screen).toMatch(/^New chat \([0-9a-f-]{36}\)\n> /);
      expect(terminal!.screen.slice(terminal!.screen.indexOf('> '))).toBe(`> ${HELP}\n> `);
    },
    LIMIT_MS,
  );

  it(
    'cancels the answer at Ctrl-C, and ends at the next one',
    async () => {
      runtime = new RuntimeProcess(service.baseUrl, process.env.TEST_FOLDER!, 1_000);
      terminal!.type('Hello!\n');
      await terminal!.shows(FIRST);
      terminal!.signal('SIGINT');
      await terminal!.shows('\n(cancelled)\n> ');
      expect(terminal!.screen).not.toContain('rank the customers');
      terminal!.signal('SIGINT');
      expect(await terminal!.exited).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'says when an answer is begun again',
    async () => {
      runtime = new RuntimeProcess(service.baseUrl, process.env.TEST_FOLDER!, 600_000);
      terminal!.type('Hello!\n');
      await terminal!.shows(FIRST);
      await runtime.stop('SIGTERM');
      runtime = new RuntimeProcess(service.baseUrl, process.env.TEST_FOLDER!);
      await terminal!.shows(`> ${FIRST}\n(once more)\n${HELP}\n> `);
    },
    LIMIT_MS,
  );

  it(
    'lists what waits for a person, and answers, approves and rejects it by commands',
    async () => {
      const asked = await waitingForPeople();
      await terminal!.shows('New chat (');
      terminal!.type('/inbox\n');
      await terminal!.shows(
        'question: Which?\n   One of the two.\n   this: This one (recommended)\n   that: That one\n',
      );
      const number = /(\d+)\. question/.exec(terminal!.screen)![1];
      terminal!.type(`/answer ${number} other\n`);
      await terminal!.shows('not done: ');
      terminal!.type(`/answer ${number} that\n`);
      await terminal!.shows('Answered: Which?\n');
      terminal!.type(`/approve ${asked.references[0]!.toLowerCase()} Go ahead\n`);
      await terminal!.shows(`${asked.references[0]} “Call 1” is approved.`);
      terminal!.type(`/reject ${asked.references[1]} Not now\n`);
      await terminal!.shows(`${asked.references[1]} “Call 2” is rejected.`);
      terminal!.type('/approve A-000000\n');
      await terminal!.shows('There is no action A-000000');
      terminal!.type('/help\n');
      await terminal!.shows('/reconcile <A-…>');
      const item = await asOwner('GET', `human-inbox/${asked.inboxItemId}`);
      expect(item).toMatchObject({ status: 'answered', response: { text: 'that', channel: 'owner' } });
      const rejected = await asOwner('GET', `actions/${asked.actionIds[1]}`);
      expect(rejected.decision).toMatchObject({ kind: 'reject', comment: 'Not now', channel: 'owner' });
    },
    LIMIT_MS,
  );

  it(
    'answers what it is given and ends with its input',
    async () => {
      runtime = new RuntimeProcess(service.baseUrl, process.env.TEST_FOLDER!);
      terminal!.type('What is blocked?\n');
      terminal!.endOfInput();
      expect(await terminal!.exited).toBe(0);
      expect(terminal!.screen).toMatch(/\n> Nothing is blocked\.\n\n$/);
    },
    LIMIT_MS,
  );

  async function asOwner(method: string, rest: string, body?: object) {
    const key = { 'idempotency-key': randomUUID() };
    const path = `/organizations/${organizationId}/${rest}`;
    return (await service.call(method, path, BOOTSTRAP_TOKEN, body, key)).body.data;
  }

  /** A run that has asked a question and proposed two actions. */
  async function waitingForPeople() {
    const webhook = await asOwner('POST', 'webhooks', { url: 'https://hooks.acme.example/calls', events: [] });
    await asOwner('POST', 'tasks', { title: 'Decide', ownerAgentProfileKey: 'growth', spec: { objective: 'Decide' } });
    const worker = { workerId: 'asks', bootId: randomUUID() };
    const claims = { ...worker, organizationIds: [organizationId], waitSeconds: 10 };
    const [claim] = (await service.call('POST', '/internal/run-requests/claim', SERVICE_TOKEN, claims)).body.data;
    const { runRequestId, leaseToken } = claim;
    const start = { organizationId, leaseToken, runId: randomUUID(), ...worker };
    const started = await service.call('POST', `/internal/run-requests/${runRequestId}/start`, SERVICE_TOKEN, start);
    const asAgent = async (of: string, body: object) => {
      const path = `/internal/agent/organizations/${organizationId}/${of}`;
      return (await service.call('POST', path, started.body.data.executionToken, body)).body.data;
    };
    const options = [
      { id: 'this', label: 'This one' },
      { id: 'that', label: 'That one' },
    ];
    const presentation = { options, recommendedOptionId: 'this', allowFreeText: false };
    const item = await asAgent('inbox', { kind: 'question', title: 'Which?', body: 'One of the two.', presentation });
    const call = { kind: 'webhook_call', connectorKey: 'webhooks', toolName: webhook.id, summary: 'Calls it once.' };
    const actions = [];
    for (const n of [1, 2]) actions.push(await asAgent('actions', { ...call, arguments: { n }, title: `Call ${n}` }));
    return {
      inboxItemId: item.id as string,
      actionIds: actions.map(({ id }) => id as string),
      references: actions.map(({ reference }) => reference as string),
    };
  }
});
