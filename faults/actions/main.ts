import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultyClient } from '../client.ts';
import { Cluster } from '../cluster.ts';
import { History } from '../history.ts';
import { Random } from '../random.ts';
import { ActionCompany, dataOf } from './action-company.ts';
import { actionFailures, actionReportOf, actionTable } from './action-report.ts';
import { type ActionRows, isUnderway, settledActions } from './action-rows.ts';
import { checkActions } from './check-actions.ts';
import { killApis } from './kills.ts';
import { Proposer } from './proposer.ts';
import { Receiver } from './receiver.ts';

const PROPOSERS = 3;
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
  const receiver = await Receiver.start(folder, new Random(`${wanted.seed} receiver`));
  let cluster: Cluster | undefined;
  let passed = false;
  try {
    cluster = await Cluster.start(folder, wanted.seed, { ...receiver.env, ...LEASES });
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
    const isEnough = (kills: number) => company.approved.size >= wanted.actions && kills >= wanted.kills;
    const progress = () => `${company.approved.size} actions are approved`;
    const kills = await killApis({ cluster, seed: wanted.seed, isEnough, progress, over });
    client.calm = true;
    console.log(`${seconds().toFixed(1)} s: no more kills`);
    const parked = await settledActions(cluster, over, ({ actions: all }) => !all.some(isUnderway));
    await reconcileAll(company, receiver, parked);
    const ended = await settledActions(cluster, over, ({ tasks }) =>
      tasks.every(({ status }) => status === 'completed'),
    );
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
