import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build, isStale } from '../scripts/build.ts';
import { actions } from './actions/main.ts';
import { Chaos } from './chaos.ts';
import { check } from './checker.ts';
import { FaultyClient } from './client.ts';
import { Cluster } from './cluster.ts';
import { gateway } from './gateway/main.ts';
import { History, readHistory } from './history.ts';
import { Outages } from './outages.ts';
import { Owner } from './owner.ts';
import { pushes } from './pushes/main.ts';
import { Random } from './random.ts';
import { failures, reportOf, table } from './report.ts';
import { rolling } from './rolling/main.ts';
import { readRows } from './rows.ts';

/**
 * Lets two API processes and sixteen runtimes work while they are killed, paused and cut off, and compares what the
 * clients were told with what the database holds. Exits with 1 if a promise was broken, or if there were too few faults
 * to tell. The seed decides actions and faults; the machine decides their timing.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    lifecycles: { type: 'string', default: '200' },
    kills: { type: 'string' },
    keep: { type: 'boolean', default: false },
    rolling: { type: 'boolean', default: false },
    actions: { type: 'string' },
    gateway: { type: 'string' },
    pushes: { type: 'string' },
  },
});
const seed = values.seed ?? String(randomInt(1_000_000));
const wanted = {
  lifecycles: Number(values.lifecycles),
  kills: Number(values.kills ?? Math.ceil(Number(values.lifecycles) / 20)),
};
const ORGANIZATIONS = 2;
/** The shares of this many organizations are all connections for owners' calls. */
const RENAMED = 5;
/** Time for everything to end without faults: the last backoffs, then the tasks that waited for those. */
const DRAIN_LIMIT_MS = 120_000;
const FIRST_FINDINGS = 20;

const startedAt = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'faults-'));
// The database may run as another account.
chmodSync(folder, 0o755);
const over = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => over.abort(new Error('stopped')));

async function openOrganizations(cluster: Cluster): Promise<{ owners: Owner[]; outages: Outages }> {
  const post = async (path: string, token: string, body: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const response = await fetch(cluster.bases[0] + path, { method: 'POST', headers, body: JSON.stringify(body) });
    // oxlint-disable-next-line typescript/no-explicit-any -- the two answers with which the run starts
    const answer = (await response.json()) as any;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const { token } = await post('/owner-tokens', cluster.ownerToken, { name: 'fault run' });
  const open = async (name: string): Promise<string> => {
    const company = { name, website: 'https://faults.example', timezone: 'UTC', defaultCurrency: 'EUR' };
    return (await post('/organizations', token, company)).organization.id;
  };
  const owners = [];
  for (let n = 1; n <= ORGANIZATIONS; n += 1) {
    const random = new Random(`${seed} owner ${n}`);
    const client = new FaultyClient(cluster.bases, new History(cluster.historyFolder, `owner-${n}`), random);
    owners.push(new Owner(client, token, await open(`Faults ${n}`), random));
  }
  const renamed = [];
  for (let n = 1; n <= RENAMED; n += 1) renamed.push(await open(`Renamed ${n}`));
  return { owners, outages: new Outages(cluster, token, renamed) };
}

async function countTasks(cluster: Cluster): Promise<{ ended: number; open: number }> {
  const [row] = await cluster.rows<{ ended: number; open: number }>(
    `select count(*) filter (where status in ('completed', 'failed', 'cancelled'))::int as ended,
       count(*) filter (where status not in ('completed', 'failed', 'cancelled'))::int as open
     from task where kind = 'task'`,
  );
  return row!;
}

/** Runs work and faults until enough has happened. */
async function storm(cluster: Cluster, owners: readonly Owner[], chaos: Chaos): Promise<void> {
  const enough = new AbortController();
  const until = AbortSignal.any([enough.signal, over.signal]);
  const work = Promise.all([chaos.rage(until), ...owners.map((owner) => owner.work(until))]);
  for (let saidAt = 0; !until.aborted;) {
    await Promise.race([wait(500), work]);
    const { ended, open } = await countTasks(cluster);
    if (performance.now() - saidAt > 10_000) {
      saidAt = performance.now();
      console.log(`${seconds()} s: ${ended} tasks have ended, ${open} are open; ${chaos.kills} kills`);
    }
    // Open work will end.
    if (ended + open >= wanted.lifecycles && chaos.kills >= wanted.kills && chaos.done.crashDatabase > 0)
      enough.abort();
  }
  await work;
}

/** Lets open work end, without faults. */
async function drain(cluster: Cluster, owners: readonly Owner[]): Promise<void> {
  const deadline = performance.now() + DRAIN_LIMIT_MS;
  await cluster.untilReady();
  while (!over.signal.aborted && performance.now() < deadline) {
    for (const worker of cluster.workers) worker.tell({ calm: true });
    if ((await countTasks(cluster)).open === 0) break;
    await Promise.all(owners.map((owner) => owner.unblock()));
    await wait(1_000);
  }
  // Waits for calls in flight, which still count.
  await wait(1_000);
}

async function run(cluster: Cluster): Promise<boolean> {
  const { owners, outages } = await openOrganizations(cluster);
  cluster.startWorkers();
  const chaos = new Chaos(cluster, new Random(`${seed} chaos`));
  console.log(
    `seed ${seed}: ${wanted.lifecycles} lifecycles, at least ${wanted.kills} kills; ready after ${seconds()} s`,
  );
  await storm(cluster, owners, chaos);
  const outage = await outages.cause();
  console.log(`${seconds()} s: no more faults`);
  await drain(cluster, owners);
  over.signal.throwIfAborted();
  await Promise.all(cluster.workers.map((worker) => worker.stop()));
  const rows = await readRows((text) => cluster.rows(text));
  const calls = readHistory(cluster.historyFolder);
  const findings = check(calls, rows);
  const ownEnds = cluster.apis.reduce((sum, api) => sum + api.ownEnds, 0);
  if (ownEnds > 0) findings.wrong.push(`API processes ended ${ownEnds} times without being killed`);
  const report = reportOf({ seed, seconds: Number(seconds()), faults: chaos.done, outage, calls, rows, findings });
  console.log(`\n${table(report)}\n`);
  for (const [kind, found] of Object.entries(findings) as [string, readonly string[]][])
    for (const each of found.slice(0, FIRST_FINDINGS)) console.log(`${kind}: ${each}`);
  console.log(JSON.stringify(report));
  const reasons = failures(report, wanted);
  if (reasons.length > 0) console.log(`The fault run failed: ${reasons.join(', ')}.`);
  return reasons.length === 0;
}

function seconds(): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(1);
}

if (values.rolling) {
  if (isStale()) await build();
  process.exit((await rolling(wanted.lifecycles)) ? 0 : 1);
}
if (values.actions !== undefined) {
  if (isStale()) await build();
  const count = Number(values.actions);
  const kills = Number(values.kills ?? Math.ceil(count / 50));
  process.exit((await actions({ actions: count, kills, seed, keep: values.keep }, over.signal)) ? 0 : 1);
}
if (values.gateway !== undefined) {
  if (isStale()) await build();
  const writes = Number(values.gateway);
  const kills = Number(values.kills ?? Math.ceil(writes / 50));
  process.exit((await gateway({ writes, kills, seed, keep: values.keep }, over.signal)) ? 0 : 1);
}
if (values.pushes !== undefined) {
  if (isStale()) await build();
  const count = Number(values.pushes);
  const kills = Number(values.kills ?? Math.ceil(count / 10));
  process.exit((await pushes({ pushes: count, kills, seed, keep: values.keep }, over.signal)) ? 0 : 1);
}
let passed = false;
let cluster: Cluster | undefined;
try {
  if (isStale()) await build();
  cluster = await Cluster.start(folder, seed);
  passed = await run(cluster);
} catch (error) {
  console.error(over.signal.aborted ? 'Stopped.' : error);
} finally {
  await cluster?.stop();
}
if (passed && !values.keep) rmSync(folder, { recursive: true, force: true });
else console.log(`Everything that was said and done is in ${folder}.`);
process.exit(passed ? 0 : 1);
