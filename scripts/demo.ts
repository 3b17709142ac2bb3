import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Api } from '../examples/agent-runtime/src/api.ts';
import { printable } from '../examples/chat-client/printable.ts';
import { freePort } from '../src/embedded/index.ts';
import { build, isStale } from './build.ts';
import { CodeHost } from './demo/code-host.ts';
import { PersonAtTerminal, PlayedOwner } from './demo/deciders.ts';
import { Decisions } from './demo/decisions.ts';
import { broughtBy, discover, knowledgeOf, learnMeanwhile } from './demo/known.ts';
import { Memory } from './demo/memory.ts';
import {
  DATA,
  type Delivered,
  delivered,
  handIn,
  type Objective,
  openOrganization,
  reasons,
  watch,
} from './demo/objective.ts';
import { askAbout, SignUp } from './demo/onboarding.ts';
import { OrdersServer } from './demo/orders.ts';
import { openWebhook, prepareReceiver, type Receiver } from './demo/receiver.ts';
import { Supervised } from './demo/supervised.ts';
import { Screen } from './demo/task-tree.ts';

/**
 * Starts the service, the reference runtime, a receiver of webhooks, an MCP server of orders and, with git, a code host, connects
 * both, creates a task with an objective, shows how the departments complete it and what they want a person to decide, and ends with what they
 * delivered, know, have learned, pushed and did to the orders.
 * Or signs up an organization with the files of a folder (`--onboard FOLDER`), and hands in a task that they answer
 * (`--ask QUESTION`). Plays the owner, or asks whoever sits at the terminal (`--interactive`). Each of the programs, or the
 * whole demo, may be killed meanwhile: after a restart it continues.
 */
const FOLDER = resolve(process.env.DEMO_DIR ?? '.demo');
const PACE_MS = process.env.PACE_MS ?? '400';
/** Of a demo that waits for nobody. */
const LIMIT_MS = 300_000;
const { values: options } = parseArgs({
  options: {
    interactive: { type: 'boolean', default: false },
    onboard: { type: 'string' },
    ask: { type: 'string' },
  },
});
const startedAt = performance.now();
const screen = new Screen(process.stdout);
const memory = new Memory(FOLDER, options.onboard === undefined ? undefined : resolve(options.onboard));
const stopping = new AbortController();
const children: Supervised[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort(new Error('stopped')));
// The reader of the output has gone.
process.stdout.on('error', () => stopping.abort(new Error('stopped')));

async function demo(): Promise<boolean> {
  if (isStale()) await build();
  // The service keeps it over restarts, so that the runtime finds it again.
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const dataDir = join(FOLDER, 'data');
  const receiver = options.onboard === undefined ? await prepareReceiver(FOLDER, memory) : undefined;
  const orders = receiver && (await OrdersServer.prepare(FOLDER, memory));
  const codeHost = receiver && (await CodeHost.prepare(FOLDER, memory));
  const service = new Supervised({
    name: 'service',
    args: ['../dist/src/main.js'],
    // Short leases, so that what a killed process held goes on after seconds, not after minutes.
    env: {
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      RUN_LEASE_SECONDS: '6',
      ACTION_LEASE_SECONDS: '10',
      END_AFTER_MS: '1000',
      ...(receiver && orders
        ? {
            ...receiver.serviceEnv,
            EGRESS_LOCAL_PEERS: [
              receiver.serviceEnv.EGRESS_LOCAL_PEERS,
              orders.origin,
              ...(codeHost ? [codeHost.origin] : []),
            ].join(','),
            ...(codeHost ? { CODE_HOST_LOCAL_ORIGIN: codeHost.origin } : {}),
            INTEGRATION_APPROVED_ORIGINS: orders.origin,
          }
        : {}),
    },
    logFile: join(FOLDER, 'service.log'),
    onStart: (servicePid, starts) => {
      memory.learn({ servicePid, baseUrl });
      if (starts > 1) screen.say('The service died and is started again.');
    },
  });
  children.unshift(service);
  const keep = (program: Supervised) => children.unshift(program);
  // Beside the service, which takes longer: the objective is handed in as soon as that is ready.
  const started = Promise.all([orders?.start('1', keep), codeHost?.start(keep)]);
  await Promise.all([Promise.race([untilReady(baseUrl), service.failed]), started]);
  const token = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim();
  screen.say(`The service is ready at ${baseUrl} after ${seconds()} s.`);

  const runtime = new Supervised({
    name: 'runtime',
    args: ['../examples/agent-runtime/src/main.ts'],
    env: {
      BUSINESS_RUNNER_URL: baseUrl,
      AGENT_SERVICE_TOKEN: token('agent-service-token'),
      WORKER_ID: 'demo',
      WORKSPACE_DIR: process.cwd(),
      // Other companies have their own files.
      ...(receiver ? { COMPANY_DIR: DATA } : {}),
      PACE_MS,
    },
    logFile: join(FOLDER, 'runtime.log'),
    onStart: (runtimePid, starts) => {
      memory.learn({ runtimePid });
      if (starts > 1) screen.say('The runtime died and is started again.');
    },
  });
  children.unshift(runtime);

  const owner = new Api(baseUrl, token('owner-token'));
  const signal = options.interactive
    ? stopping.signal
    : AbortSignal.any([stopping.signal, AbortSignal.timeout(LIMIT_MS)]);
  const receiverLog = join(FOLDER, 'receiver.log');
  const decider = options.interactive
    ? new PersonAtTerminal(screen)
    : new PlayedOwner(Number(PACE_MS), receiverLog, orders, codeHost);
  const place = (organizationId: string) => ({ api: owner, organizationId, signal });
  const end = async (objective: Objective, beside?: () => Promise<readonly string[]>) => {
    const discovered = discover(place(objective.organizationId));
    discovered.catch(() => {});
    const decisions = new Decisions({ api: owner, organizationId: objective.organizationId, screen }, decider);
    const status = await watch(owner, objective, screen, decisions, signal);
    if (status === 'completed') {
      await discovered;
      await show(owner, objective, (await beside?.()) ?? [], signal);
    }
    if (status !== 'completed') console.error(printable((await reasons(owner, objective, signal)).join('\n')));
    memory.learn({ finished: true });
    return status === 'completed';
  };
  const review = async ({ port, keyFile, certFile }: Receiver, orders: OrdersServer) => {
    const organizationId = await openOrganization(owner, memory, signal);
    const webhook = await openWebhook(owner, memory, organizationId, port, signal);
    children.unshift(
      new Supervised({
        name: 'receiver',
        args: ['../examples/webhook-receiver/receiver.ts'],
        env: {
          PORT: String(port),
          WEBHOOK_SECRET: webhook.secret,
          TLS_KEY_FILE: keyFile,
          TLS_CERT_FILE: certFile,
          SEEN_FILE: join(FOLDER, 'receiver-seen.txt'),
        },
        logFile: receiverLog,
        onStart: (_pid, starts) => void (starts > 1 && screen.say('The receiver died and is started again.')),
      }),
    );
    const here = place(organizationId);
    const connected = (await Promise.all([orders.connect(here), codeHost?.connect(here) ?? []])).flat();
    if (connected.length > 0) screen.say(`${connected.join('\n')}\n`);
    const objective = await handIn(owner, memory, organizationId, signal);
    screen.say(`${objective.resumed ? 'Going on with' : 'Handed in'} the objective ${objective.identifier}.\n`);
    const learned = learnMeanwhile(here, objective, memory.known.round);
    learned.catch(() => {});
    return end(objective, async () => [
      ...(await learned),
      '',
      ...(codeHost?.done() ?? []),
      ...orders.done(),
      ...(await orders.change(here, keep)),
    ]);
  };
  const onboard = async (folder: string) => {
    const organizationId = await new SignUp(owner, memory, screen, signal).with(folder, decider);
    const objective = await askAbout(owner, memory, organizationId, options.ask, signal);
    screen.say(`${objective.resumed ? 'Going on with' : 'Handed in'} the task ${objective.identifier}.\n`);
    return end(objective);
  };
  const work = receiver && orders ? review(receiver, orders) : onboard(options.onboard!);
  return Promise.race([work, service.failed, runtime.failed]);
}

/** Prints the report or answer, what is known by now, everything that was delivered, and how to get it from the API. */
async function show(api: Api, objective: Objective, learned: readonly string[], signal: AbortSignal): Promise<void> {
  const found = await delivered(api, objective, signal);
  const report = found.find(({ kind }) => ['report', 'answer'].includes(kind))!;
  const { organizationId, taskId } = objective;
  const place = { api, organizationId, signal };
  const manifest = report.kind === 'answer' ? (await broughtBy(place, taskId)).map((line) => `  ${line}`) : [];
  const brought = manifest.length > 0 ? ['The manifest of the task brought:', ...manifest, ''] : [];
  const text = await api.text('/organizations/{organizationId}/runs/{id}/artifacts/{sha256}', {
    path: { organizationId, id: report.runId, sha256: report.sha256 },
    signal,
  });
  writeFileSync(join(FOLDER, report.name), text);
  const width = (key: 'task' | 'kind' | 'name') => Math.max(...found.map((each) => each[key].length));
  const folder = relative(process.cwd(), FOLDER) || '.';
  const pathOf = ({ runId, sha256 }: Delivered) => `/runs/${runId}/artifacts/${sha256}`;
  const curl = (path: string, what: string) => `  curl -s -H "$AUTH" "$ORG${path}"  # ${what}`;
  const lines = [
    '',
    printable(text),
    ...[...brought, ...(await knowledgeOf(place)), '', ...learned].map(printable),
    '',
    `Delivered after ${seconds()} s; each path ends with the SHA-256:`,
    ...found.map((each) => {
      const { task, kind, name } = each;
      const cells = [task.padEnd(width('task')), kind.padEnd(width('kind')), name.padEnd(width('name')), pathOf(each)];
      return `  ${printable(cells.join('  '))}`;
    }),
    '',
    'Look at it in the API, with the service running on the same data:',
    `  DATA_DIR=${join(folder, 'data')} npm start  # in a second terminal`,
    `  ORG=http://127.0.0.1:3000/organizations/${organizationId}`,
    `  AUTH="Authorization: Bearer $(cat ${join(folder, 'data/owner-token')})"`,
    curl(pathOf(report), 'what stands above; the other artifacts by their paths above'),
    curl(`/tasks/${taskId}/graph`, 'the tree of tasks'),
    curl(`/runs?taskId=${taskId}`, 'who did it, when and how'),
    curl('/knowledge', 'what is known; ?search=… finds it by words'),
    `It is in ${join(folder, report.name)} too, what the programs said in ${folder}/*.log.`,
    '',
  ];
  process.stdout.write(lines.join('\n'));
}

async function untilReady(baseUrl: string): Promise<void> {
  while (!(await fetch(`${baseUrl}/health/ready`).catch(() => undefined))?.ok) {
    await wait(50, undefined, { signal: stopping.signal });
  }
}

function seconds(): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}

let completed = false;
try {
  completed = await demo();
} catch (error) {
  if (stopping.signal.aborted) console.error('\nStopped. "npm run demo" goes on with what is unfinished.');
  else console.error(error instanceof Error ? error.message : error);
}
// Stops the runtime first, so that it can give back its work.
for (const child of children) await child.stop();
process.exit(completed ? 0 : 1);
