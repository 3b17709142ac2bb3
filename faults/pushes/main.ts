import { setTimeout as wait } from 'node:timers/promises';
import { dataOf } from '../actions/action-company.ts';
import { isUnderway, settledActions } from '../actions/action-rows.ts';
import { killApis } from '../actions/kills.ts';
import { FaultyClient } from '../client.ts';
import { Cluster } from '../cluster.ts';
import { askForToken, inRunFolder } from '../fault-run.ts';
import { History } from '../history.ts';
import { Random } from '../random.ts';
import { checkPushes } from './check-pushes.ts';
import { GitHost } from './git-host.ts';
import { PushCompany } from './push-company.ts';
import { pushFailures, pushReportOf, pushTable } from './push-report.ts';
import { looked, readPushes } from './push-rows.ts';
import { Pusher } from './pusher.ts';

const PUSHERS = 3;
/** Runs keep themselves; of a push of a process that was killed, this is all that must be waited for. */
const LEASES = {
  RUN_CLAIM_LEASE_SECONDS: '20',
  RUN_START_DEADLINE_SECONDS: '60',
  RUN_LEASE_SECONDS: '60',
  RUN_MAX_SECONDS: '900',
  ACTION_LEASE_SECONDS: '20',
};
/** Longer than any run takes that goes on at all. */
const START_LIMIT_SECONDS = 120;
const SECONDS_A_PUSH = 12;

interface Wanted {
  readonly pushes: number;
  readonly kills: number;
  readonly seed: string;
  readonly keep: boolean;
}

/**
 * `npm run faults -- --pushes N`: approved pushes of real git to a host that drops a tenth of the connections before Git took
 * the push and a tenth after, by two API processes that are killed all the time; returns whether each was sent at most once
 * and the branches stand where the service says.
 */
export function pushes(wanted: Wanted, over: AbortSignal): Promise<boolean> {
  return inRunFolder(wanted.keep, async (folder, seconds) => {
    const host = await GitHost.start(folder, new Random(`${wanted.seed} host`));
    let cluster: Cluster | undefined;
    try {
      cluster = await Cluster.start(folder, wanted.seed, { ...host.env, ...LEASES });
      const random = new Random(wanted.seed);
      const client = new FaultyClient(cluster.bases, new History(cluster.historyFolder, 'pushes'), random);
      client.calm = true;
      const company = await opened(cluster, client, host);
      client.calm = false;
      console.log(
        `seed ${wanted.seed}: ${wanted.pushes} pushes, at least ${wanted.kills} kills; ready after ${seconds().toFixed(1)} s`,
      );
      const idle = new AbortController();
      const until = AbortSignal.any([idle.signal, over]);
      const { bases, serviceToken } = cluster;
      const branches = await host.branch(wanted.pushes);
      const seat = { client, bases, serviceToken, company, folder, branches, random: new Random(`${wanted.seed} git`) };
      const pushers = Array.from({ length: PUSHERS }, () => new Pusher(seat));
      const working = Promise.all(pushers.map((pusher) => pusher.work(until)));
      await company.handIn(wanted.pushes);
      const isTooLong = () => seconds() > START_LIMIT_SECONDS + wanted.pushes * SECONDS_A_PUSH;
      const kills = await killApis({
        cluster,
        seed: wanted.seed,
        // The rest is pushed without kills, each of which costs a start of a process.
        isEnough: (count) => count >= wanted.kills || isTooLong(),
        progress: () => `${company.approved.size} pushes are approved; ${host.received.length} arrived`,
        over,
      });
      console.log(`${seconds().toFixed(1)} s: no more kills; ${company.approved.size} pushes are approved`);
      while (company.approved.size < wanted.pushes && !isTooLong() && !over.aborted) await wait(500);
      client.calm = true;
      host.calm = true;
      console.log(`${seconds().toFixed(1)} s: ${company.approved.size} pushes are approved`);
      await settledActions(cluster, over, ({ actions }) => !actions.some(isUnderway));
      const stood = await host.branches();
      await looked(cluster);
      const ended = await settledActions(cluster, over, ({ tasks }) =>
        tasks.every(({ status }) => status === 'completed'),
      );
      idle.abort();
      await working;
      const approved = [...company.approved];
      const world = { approved, received: host.received, pushes: await readPushes(cluster), ended, branches: stood };
      const findings = checkPushes(world);
      const report = pushReportOf({ seconds: seconds(), kills, world, findings });
      return { table: pushTable(report), findings, report, reasons: pushFailures(report, wanted) };
    } finally {
      await cluster?.stop();
      host.stop();
    }
  });
}

async function opened(cluster: Cluster, client: FaultyClient, host: GitHost): Promise<PushCompany> {
  const heard = await askForToken(cluster, client);
  return PushCompany.open(client, dataOf(heard).token, host);
}
