import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../support/until.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Three starts of everything, on a busy machine. */
const LIMIT_MS = 240_000;

interface Known {
  readonly baseUrl: string;
  readonly organizationId: string;
  readonly taskId: string;
  readonly servicePid: number;
  readonly runtimePid: number;
}

interface Task {
  readonly identifier: string;
  readonly status: string;
  readonly agentRunCount: number;
}

/** `npm run demo` in a folder of its own. */
class Demo {
  static readonly alive = new Set<Demo>();
  stdout = '';
  readonly exited: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(
    readonly folder: string,
    { paceMs = 0, options = [] }: { readonly paceMs?: number; readonly options?: readonly string[] } = {},
  ) {
    Demo.alive.add(this);
    this.child = spawn(process.execPath, ['scripts/run.mjs', './demo.ts', ...options], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DEMO_DIR: folder,
        PACE_MS: String(paceMs),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout!.on('data', (chunk) => (this.stdout += String(chunk)));
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code) => {
        Demo.alive.delete(this);
        resolve(code);
      });
    });
  }

  says(text: string): Promise<void> {
    return until(`the demo says ${text}`, () => this.stdout.includes(text), LIMIT_MS);
  }

  /** Approves so many actions, each as it is asked for. */
  async approve(count: number): Promise<void> {
    for (let asked = 1; asked <= count; asked += 1) {
      const prompts = () => this.stdout.split('approve or reject A-').length - 1;
      await until(`the demo asks for the ${asked}th decision`, () => prompts() >= asked, LIMIT_MS);
      this.type('approve');
    }
  }

  type(line: string): void {
    this.child.stdin!.write(`${line}\n`);
  }

  get known(): Known {
    return JSON.parse(readFileSync(join(this.folder, 'demo.json'), 'utf8')) as Known;
  }

  get runtimeLog(): string {
    const file = join(this.folder, 'runtime.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Waits until a task of the objective is as wanted, as an owner sees it. */
  async untilTask(identifier: string, wanted: (task: Task) => boolean): Promise<void> {
    const isSo = async () => {
      const { baseUrl, organizationId, taskId } = this.known;
      const token = readFileSync(join(this.folder, 'data/owner-token'), 'utf8').trim();
      const path = `/organizations/${organizationId}/tasks/${taskId}/graph`;
      const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
      const { data } = (await answer.json()) as { data?: { tasks: Task[] } };
      return data?.tasks.some((task) => task.identifier === identifier && wanted(task)) ?? false;
    };
    await until(`${identifier} is as wanted`, () => isSo().catch(() => false), LIMIT_MS);
  }

  /** What it says that was delivered: `kind name sha256`, without the task's number. */
  get deliveries(): string[] {
    const rows = this.stdout.matchAll(/^ {2}[A-Z]+-\d+ +(\S+) +(\S+) +\S+\/([0-9a-f]{64})$/gm);
    return Array.from(rows, ([, kind, name, sha256]) => `${kind} ${name} ${sha256}`).sort();
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}

describe('npm run demo', () => {
  const folders: string[] = [];
  const folder = () => folders[folders.push(mkdtempSync(join(tmpdir(), 'demo-'))) - 1]!;
  let expected: string[] | undefined;

  afterEach(async () => {
    await Promise.all([...Demo.alive].map((demo) => demo.kill()));
    for (const each of folders.splice(0))
      rmSync(each, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 });
  });

  it(
    'asks whoever sits at the terminal, ends with what all delivered by their decisions, and leaves nothing running',
    async () => {
      const demo = new Demo(folder(), { options: ['--interactive'] });
      // What is noted, what a customer is written, what is pushed, and what the receiver is told.
      const approving = demo.approve(4);
      await demo.says('operator asks: Whom do we answer first?');
      await demo.says('Your answer (');
      const [, recommended] = /^ +(\S+): .*\(recommended\)$/m.exec(demo.stdout)!;
      demo.type('somebody');
      demo.type(recommended!);
      await demo.says(`The owner answers: ${recommended}`);
      await approving;
      expect(demo.stdout).toContain('Call message_customer of mcp-orders');
      expect(await demo.exited).toBe(0);
      const receiver = readFileSync(join(demo.folder, 'receiver.log'), 'utf8');
      expect(receiver).toContain(/proposes (A-\w+): Tell /.exec(demo.stdout)![1]);
      expect(demo.stdout).toMatch(/What agents did to the orders:\n {2}(ORD-\d+): noted: .*; wrote: Your \1 came back/);
      expect(demo.stdout).toMatch(/reported-bugs stands at [0-9a-f]{40}: Say where the reported bugs are/);
      expect(demo.stdout).toContain('message_customer is in quarantine: the server changed its description.');
      expect(demo.stdout).toMatch(/\| Tell .* that we are at it \| succeeded \|/);
      expected = demo.deliveries;
      expect(expected.map((each) => each.split(' ')[0])).toEqual([
        'attention',
        'bug-locations',
        'bug-reports',
        'customer-ranking',
        'department-report',
        'department-report',
        'department-report',
        'report',
        'source-map',
        'triage',
      ]);
      expect(demo.stdout).toContain('# Weekly review');
      expect(demo.stdout).toMatch(
        /What growth has learned, revision 1:\n(?: {2}.*\n)*? {2}find-the-customers-that-matter: /,
      );
      expect(demo.stdout).toMatch(
        /Its next task GRO-\d began with:\n(?: {2}knows: .*\n)? {2}remembers: \d: .*“Find the cust/,
      );
      const { servicePid, runtimePid } = demo.known;
      expect([servicePid, runtimePid].map(isAlive)).toEqual([false, false]);
    },
    LIMIT_MS,
  );

  it(
    'ends with the same when the runtime, the service and at last all of it are killed half way',
    async () => {
      // Slow enough that there is something left to do when a step is done.
      const killed = new Demo(folder(), { paceMs: 500 });
      await until('support is half way', () => killed.runtimeLog.includes('SUP-1  step triage\n'), LIMIT_MS);
      process.kill(killed.known.runtimePid, 'SIGKILL');
      await killed.untilTask('SUP-1', ({ status, agentRunCount }) => status === 'completed' && agentRunCount === 2);
      expect(killed.runtimeLog).toContain('SUP-1  step triage kept');
      await until('engineering is half way', () => killed.runtimeLog.includes('ENG-1  step source\n'), LIMIT_MS);
      const { servicePid } = killed.known;
      process.kill(servicePid, 'SIGKILL');
      await until('the service is started again', () => killed.known.servicePid !== servicePid, LIMIT_MS);
      await killed.untilTask('ENG-1', () => true);
      const { taskId, ...children } = killed.known;
      await killed.kill();
      await until(
        'its children have noticed',
        () => !isAlive(children.servicePid) && !isAlive(children.runtimePid),
        20_000,
      );

      const again = new Demo(killed.folder);
      expect(await again.exited).toBe(0);
      const orders = readFileSync(join(killed.folder, 'orders.csv'), 'utf8');
      for (const done of ['noted: ', 'wrote: ']) expect(orders.split(done)).toHaveLength(2);
      expect(again.known.taskId).toBe(taskId);
      expect(again.deliveries).toEqual(expected);
    },
    LIMIT_MS,
  );
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
