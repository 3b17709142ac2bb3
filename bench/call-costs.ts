import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import type { ListName } from './baselines/bare-reads.ts';
import { logEntries } from './baselines/lifecycle-statements.ts';
import type { Gate } from './report.ts';
import { LEASE_TOKEN } from './seeds.ts';
import { SERVICE_TOKEN, startService } from './service.ts';
import { type Traffic, WireCounter } from './wire-counter.ts';

/**
 * What a call may cost. The figures are exact: a change that makes a call more expensive must change them here and say
 * why.
 */
const LIMITS: Readonly<Record<string, Traffic>> = {
  claim: { roundTrips: 1, statements: 2, commits: 1 },
  start: { roundTrips: 1, statements: 6, commits: 1 },
  running: { roundTrips: 1, statements: 2, commits: 1 },
  heartbeat: { roundTrips: 1, statements: 2, commits: 1 },
  logs: { roundTrips: 1, statements: 3, commits: 1 },
  complete: { roundTrips: 1, statements: 5, commits: 1 },
  // Each part is a statement, that of connectors the newest. One round trip more where the organization knows anything,
  // which it does not here.
  manifest: { roundTrips: 1, statements: 18, commits: 1 },
  'heartbeat of a chat turn': { roundTrips: 1, statements: 2, commits: 1 },
  append: { roundTrips: 1, statements: 3, commits: 1 },
  'complete of a chat turn': { roundTrips: 1, statements: 5, commits: 1 },
  // Several batches in one transaction.
  fail: { roundTrips: 6, statements: 17, commits: 1 },
  'list of tasks': { roundTrips: 1, statements: 3, commits: 1 },
  'list of runs': { roundTrips: 1, statements: 3, commits: 1 },
  'list of run requests': { roundTrips: 1, statements: 3, commits: 1 },
  'list of agent profiles': { roundTrips: 1, statements: 3, commits: 1 },
  'list of chats': { roundTrips: 1, statements: 3, commits: 1 },
  'search of chats': { roundTrips: 1, statements: 3, commits: 1 },
  // Whether there is the chat, too.
  'list of messages': { roundTrips: 1, statements: 4, commits: 1 },
  'page of tasks behind the first': { roundTrips: 1, statements: 4, commits: 1 },
  'single task': { roundTrips: 1, statements: 3, commits: 1 },
};

interface Answer {
  readonly data: readonly { readonly id: string; readonly runRequestId: string; readonly leaseToken: string }[];
  readonly pagination?: { readonly nextCursor: string | null };
}

/** Counts what each call sends to the database, on a service of its own that runs no jobs and has its plans made. */
export async function callCosts(bench: Bench): Promise<Gate[]> {
  const counter = await WireCounter.start(bench.database.url);
  const service = await startService(
    { ...bench.database, url: counter.url },
    // Notifications and listening go over the direct connection, past the counter.
    { DATABASE_DIRECT_URL: bench.database.url, ROLE: 'api', DATABASE_POOL_SIZE: '2' },
  );
  try {
    const send = async (token: string, path: string, body?: object): Promise<Answer> => {
      const answer = await fetch(service.baseUrl + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as Answer;
    };
    const costs = new Map<string, Traffic>();
    const count = async (name: string, work: () => Promise<Answer>): Promise<Answer> => {
      counter.take();
      const answer = await work();
      const [cost, before] = [counter.take(), costs.get(name)];
      if (!before || cost.roundTrips <= before.roundTrips) costs.set(name, cost);
      return answer;
    };
    // The cheapest time counts. In the first one things are looked up that a process keeps, and in one of the others it may
    // note that leases can be renewed, as it does every few seconds.
    for (let time = 0; time < 3; time += 1) {
      await everyCall(bench, send, count);
      // That this worker claims is written down a second after its first claim, and then once a minute.
      if (time === 0) await sleep(1_500);
    }
    return Object.entries(LIMITS).map(([name, limit]) => gate(name, costs.get(name)!, limit));
  } finally {
    await service.stop();
    counter.close();
  }
}

type Send = (token: string, path: string, body?: object) => Promise<Answer>;
type Count = (name: string, work: () => Promise<Answer>) => Promise<Answer>;

async function everyCall(bench: Bench, send: Send, count: Count): Promise<void> {
  const organizationId = await bench.seeds.organization('probes');
  const runtime = (path: string, body: object) => send(SERVICE_TOKEN, path, body);
  const started = async (name?: string) => {
    const [item] = await bench.seeds.work('probes', 1, 'claimed');
    const lease = { organizationId, leaseToken: LEASE_TOKEN };
    const runId = randomUUID();
    const start = () =>
      runtime(`/internal/run-requests/${item!.runRequestId}/start`, { ...lease, runId, workerId: 'bench' });
    const answer = await (name === undefined ? start() : count(name, start));
    const { executionToken } = answer.data as unknown as { readonly executionToken: string };
    return { lease, path: `/internal/runs/${runId}`, executionToken };
  };

  await bench.seeds.work('probes', 1, 'queued');
  await count('claim', () =>
    runtime('/internal/run-requests/claim', {
      workerId: 'bench',
      bootId: randomUUID(),
      organizationIds: [organizationId],
    }),
  );
  const { lease, path, executionToken } = await started('start');
  const workplace = { harness: 'bench/1', model: 'bench', workspaceUri: 'workspace://bench/1' };
  await count('running', () => runtime(`${path}/running`, { ...lease, ...workplace }));
  await count('heartbeat', () => runtime(`${path}/heartbeat`, lease));
  await count('logs', () => runtime(`${path}/logs`, { ...lease, entries: logEntries(10) }));
  await count('manifest', () => send(executionToken, `/internal/agent/organizations/${organizationId}/execution`));
  const output = { kind: 'task_result', result: { kind: 'completed', summary: 'Done.' } };
  await count('complete', () => runtime(`${path}/complete`, { ...lease, output }));
  const failing = await started();
  const error = { class: 'transient', code: 'bench', message: 'It failed.', retryable: true };
  await count('fail', () => runtime(`${failing.path}/fail`, { ...failing.lease, error }));

  const [turn] = await bench.seeds.turns('chats', 1);
  const turnLease = { organizationId: turn!.organizationId, leaseToken: LEASE_TOKEN };
  const turnPath = `/internal/chat-turns/${turn!.turnId}`;
  await count('heartbeat of a chat turn', () => runtime(`${turnPath}/heartbeat`, turnLease));
  await count('append', () => runtime(`${turnPath}/append`, { ...turnLease, partId: 'p1', offset: 0, text: 'Hello' }));
  await count('complete of a chat turn', () => runtime(`${turnPath}/complete`, turnLease));

  const read = (list: ListName, rest = '') => send(bench.seeds.ownerToken, bench.lists[list].service + rest);
  const { data, pagination } = await count('list of tasks', () => read('tasks'));
  await count('list of runs', () => read('runs'));
  await count('list of run requests', () => read('run-requests'));
  await count('list of agent profiles', () => read('agent-profiles'));
  await count('list of chats', () => read('chats'));
  await count('search of chats', () => read('chats', '?search=since%20spring'));
  await count('list of messages', () => read('messages'));
  await count('page of tasks behind the first', () =>
    read('tasks', `?cursor=${encodeURIComponent(pagination!.nextCursor!)}`),
  );
  await count('single task', () => read('tasks', `/${data[0]!.id}`));
}

function gate(name: string, cost: Traffic, limit: Traffic): Gate {
  const text = ({ roundTrips, statements, commits }: Traffic) =>
    `${roundTrips} round trips, ${statements} statements, ${commits} commits`;
  const ok = (['roundTrips', 'statements', 'commits'] as const).every((each) => cost[each] <= limit[each]);
  return { name, value: text(cost), limit: text(limit), ok };
}
