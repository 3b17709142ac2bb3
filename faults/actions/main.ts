import { FaultyClient } from '../client.ts';
import { Cluster } from '../cluster.ts';
import { askForToken, inRunFolder } from '../fault-run.ts';
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
export function actions(wanted: Wanted, over: AbortSignal): Promise<boolean> {
  return inRunFolder(wanted.keep, async (folder, seconds) => {
    const receiver = await Receiver.start(folder, new Random(`${wanted.seed} receiver`));
    let cluster: Cluster | undefined;
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
      return { table: actionTable(report), findings, report, reasons: actionFailures(report, wanted) };
    } finally {
      await cluster?.stop();
      receiver.stop();
    }
  });
}

async function opened(cluster: Cluster, client: FaultyClient, receiver: Receiver): Promise<ActionCompany> {
  const heard = await askForToken(cluster, client);
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
