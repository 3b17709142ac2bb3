import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { company } from '../../support/client.ts';
import { RuntimeProcess } from '../../support/processes/runtime-process.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LIMIT_MS = 60_000;
const HELP = `I know the tasks of this organization. Ask me, for one:
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
});
