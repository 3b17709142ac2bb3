import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FaultyClient } from '../client.ts';
import { Cluster } from '../cluster.ts';
import { History } from '../history.ts';
import { Random } from '../random.ts';
import { ActionCompany, dataOf } from './action-company.ts';
import { actionFailures, actionReportOf, actionTable, type Kills } from './action-report.ts';
import { type ActionRows, readActionRows } from './action-rows.ts';
import { checkActions } from './check-actions.ts';
import { Proposer } from './proposer.ts';
import { Receiver } from './receiver.ts';

const PROPOSERS = 3;
const MEAN_KILL_GAP_MS = 2_500;
const BEGIN_LIMIT_MS = 60_000;
const DRAIN_LIMIT_MS = 120_000;
const LOOK_MS = 500;
const FIRST_FINDINGS = 20;
/** Their actions are all about calls to the receiver, so nothing but these leases must be waited for. */
const LEASES = { RUN_LEASE_SECONDS: '15', ACTION_LEASE_SECONDS: '5' };

interface Wanted {
  readonly actions: number;
  readonly kills: number;
  readonly seed: string;
  readonly keep: boolean;
}

/**
 * `npm run faults -- --actions N`: approved calls of a receiver that drops a tenth of the connections after it has read the
 * request, by two API processes that are killed all the time; returns whether each left at most once and none was forgotten.
 */
export async function actions(wanted: Wanted, over: AbortSignal): Promise<boolean> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  // The database may run as another account.
  chmodSync(folder, 0o755);
  const { receiver, env } = await Receiver.start(folder, new Random(`${wanted.seed} receiver`));
  let cluster: Cluster | undefined;
  let passed = false;
  try {
    cluster = await Cluster.start(folder, wanted.seed, { ...env, ...LEASES });
    const client = new FaultyClient(
      cluster.bases,
      new History(cluster.historyFolder, 'actions'),
      new Random(wanted.seed),
    );
    // The secret of the webhook is shown once, so its creation is not tried over a bad network.
    client.calm = true;
    const company = await opened(cluster, client, receiver);
    client.calm = false;
    console.log(
      `seed ${wanted.seed}: ${wanted.actions} actions, at least ${wanted.kills} kills; ready after ${seconds().toFixed(1)} s`,
    );
    const idle = new AbortController();
    const until = AbortSignal.any([idle.signal, over]);
    const seat = { client, serviceToken: cluster.serviceToken, company };
    const working = Promise.all(Array.from({ length: PROPOSERS }, () => new Proposer(seat).work(until)));
    await company.handIn(wanted.actions);
    const kills = await storm(cluster, company, wanted, over);
    client.calm = true;
    console.log(`${seconds().toFixed(1)} s: no more kills`);
    const parked = await settled(cluster, over, ({ actions: all }) => all.every(({ status }) => !UNDERWAY.has(status)));
    await reconcileAll(company, receiver, parked);
    const ended = await settled(cluster, over, ({ tasks }) => tasks.every(({ status }) => status === 'completed'));
    idle.abort();
    await working;
    const world = { approved: [...company.approved], received: receiver.received, parked, ended };
    const findings = checkActions(world);
    const report = actionReportOf({ seconds: seconds(), kills, world, findings });
    console.log(`\n${actionTable(report)}\n`);
    for (const [kind, found] of Object.entries(findings) as [string, readonly string[]][])
      for (const each of found.slice(0, FIRST_FINDINGS)) console.log(`${kind}: ${each}`);
    console.log(JSON.stringify(report));
    const reasons = actionFailures(report, wanted);
    if (reasons.length > 0) console.log(`The fault run failed: ${reasons.join(', ')}.`);
    passed = reasons.length === 0;
  } finally {
    await cluster?.stop();
    receiver.stop();
    if (passed && !wanted.keep) rmSync(folder, { recursive: true, force: true });
    else console.log(`Everything that was said and done is in ${folder}.`);
  }
  return passed;
}

const UNDERWAY = new Set(['awaiting_approval', 'approved', 'executing']);

async function opened(cluster: Cluster, client: FaultyClient, receiver: Receiver): Promise<ActionCompany> {
  const heard = await client.call({
    method: 'POST',
    path: '/owner-tokens',
    token: cluster.ownerToken,
    body: { name: 'fault run' },
    idempotencyKey: randomUUID(),
    intent: { op: 'other', name: 'token' },
  });
  return ActionCompany.open(client, dataOf(heard).token, receiver);
}

/**
 * Kills one of the two processes after the other, each once the one before answers again, so that there is always one that
 * works; until everything was approved and there were enough kills. Returns these.
 */
async function storm(cluster: Cluster, company: ActionCompany, wanted: Wanted, over: AbortSignal): Promise<Kills> {
  const random = new Random(`${wanted.seed} kills`);
  const kills = { all: 0, atWork: 0 };
  // The first one meets actions on their way.
  const deadline = performance.now() + BEGIN_LIMIT_MS;
  while (!over.aborted && performance.now() < deadline && (await countUnderway(cluster)) === 0) await wait(50);
  for (let saidAt = 0, isFirst = true; !over.aborted; isFirst = false) {
    if (!isFirst) await wait(Math.min(2 * MEAN_KILL_GAP_MS, random.gap(MEAN_KILL_GAP_MS)));
    if (company.approved.size >= wanted.actions && kills.all >= wanted.kills) break;
    const underway = await countUnderway(cluster);
    if (random.pick(cluster.apis).kill()) {
      kills.all += 1;
      if (underway > 0) kills.atWork += 1;
    }
    await cluster.untilReady();
    if (performance.now() - saidAt < 10_000) continue;
    saidAt = performance.now();
    console.log(`${company.approved.size} actions are approved; ${kills.all} kills`);
  }
  return kills;
}

async function countUnderway(cluster: Cluster): Promise<number> {
  const [row] = await cluster.rows<{ count: number }>(
    `select count(*)::int as count from action where status in ('approved', 'executing')`,
  );
  return row!.count;
}

/** The rows once they are as wanted, or when the time is up, which the checker notices. */
async function settled(cluster: Cluster, over: AbortSignal, isSo: (rows: ActionRows) => boolean): Promise<ActionRows> {
  const deadline = performance.now() + DRAIN_LIMIT_MS;
  for (;;) {
    const rows = await readActionRows((text) => cluster.rows(text));
    if (isSo(rows) || performance.now() > deadline) return rows;
    over.throwIfAborted();
    await wait(LOOK_MS);
  }
}

async function reconcileAll(
  company: ActionCompany,
  { received }: Receiver,
  { actions: all }: ActionRows,
): Promise<void> {
  const arrived = new Set(received.map(({ actionId }) => actionId));
  for (const { id, status } of all)
    if (status === 'reconciliation_required')
      await company.reconcile(id, arrived.has(id) ? 'succeeded' : 'not_executed');
}
