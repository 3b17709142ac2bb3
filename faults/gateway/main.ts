import { dataOf } from '../actions/action-company.ts';
import { type ActionRows, isUnderway, settledActions } from '../actions/action-rows.ts';
import { killApis } from '../actions/kills.ts';
import { FaultyClient } from '../client.ts';
import { Cluster } from '../cluster.ts';
import { askForToken, inRunFolder } from '../fault-run.ts';
import { History } from '../history.ts';
import { Random } from '../random.ts';
import { checkGateway, type MarkedAction } from './check-gateway.ts';
import { CONNECTORS, GatewayCompany } from './gateway-company.ts';
import { gatewayFailures, gatewayReportOf, gatewayTable } from './gateway-report.ts';
import { ToolServer } from './tool-server.ts';
import { Writer } from './writer.ts';

/** Runs keep themselves; of a write of a process that was killed, this is all that must be waited for. */
const LEASES = { RUN_LEASE_SECONDS: '15', RUN_MAX_SECONDS: '600', ACTION_LEASE_SECONDS: '5' };

/** Longer than any run takes that goes on at all. */
const START_LIMIT_SECONDS = 120;
const SECONDS_A_WRITE = 2;

interface Wanted {
  readonly writes: number;
  readonly kills: number;
  readonly seed: string;
  readonly keep: boolean;
}

/**
 * `npm run faults -- --gateway N`: writes through the gateway, by its route for tools and by MCP, to a server that drops
 * connections after the effect, answers wrongly and defines its tool anew, by two API processes that are killed all the time;
 * returns whether each happened at most once, by the definition that its list had shown, and none was forgotten.
 */
export function gateway(wanted: Wanted, over: AbortSignal): Promise<boolean> {
  return inRunFolder(wanted.keep, async (folder, seconds) => {
    const server = await ToolServer.start(folder, new Random(`${wanted.seed} server`));
    let cluster: Cluster | undefined;
    try {
      cluster = await Cluster.start(folder, wanted.seed, { ...server.env, ...LEASES });
      const history = new History(cluster.historyFolder, 'gateway');
      const client = new FaultyClient(cluster.bases, history, new Random(wanted.seed));
      client.calm = true;
      const company = await opened(cluster, client);
      client.calm = false;
      console.log(
        `seed ${wanted.seed}: ${wanted.writes} writes, at least ${wanted.kills} kills; ready after ${seconds().toFixed(1)} s`,
      );
      const idle = new AbortController();
      const until = AbortSignal.any([idle.signal, over]);
      const seat = {
        client,
        serviceToken: cluster.serviceToken,
        company,
        random: new Random(`${wanted.seed} writers`),
      };
      const writers = Array.from({ length: CONNECTORS }, () => new Writer(seat));
      const working = Promise.all(writers.map((writer) => writer.work(until)));
      await company.handIn(wanted.writes);
      const sum = (way: 'call' | 'mcp') => writers.reduce((all, { written }) => all + written[way], 0);
      const kills = await killApis({
        cluster,
        seed: wanted.seed,
        isEnough: async (count) =>
          (count >= wanted.kills && (await countOpen(cluster!)) === 0) ||
          seconds() > START_LIMIT_SECONDS + wanted.writes * SECONDS_A_WRITE,
        progress: () => `${sum('call') + sum('mcp')} writes; ${server.effects.length} happened`,
        over,
      });
      client.calm = true;
      console.log(`${seconds().toFixed(1)} s: no more kills`);
      // Tasks wait for ambiguous writes only.
      const parked = await settledActions(cluster, over, ({ actions, tasks }) => {
        return !actions.some(isUnderway) && tasks.every(({ status }) => status === 'completed' || status === 'blocked');
      });
      const marked = await cluster.rows<MarkedAction>(
        `select id, arguments::jsonb->>'marker' as marker, (arguments::jsonb->>'edition')::int as edition from action`,
      );
      await reconcileAll(company, server, parked, marked);
      const ended = await settledActions(cluster, over, ({ tasks }) =>
        tasks.every(({ status }) => status === 'completed'),
      );
      idle.abort();
      await working;
      const world = { approved: [...company.approved], effects: server.effects, marked, parked, ended };
      const findings = checkGateway(world);
      const report = gatewayReportOf({
        seconds: seconds(),
        kills,
        world,
        findings,
        written: { call: sum('call'), mcp: sum('mcp') },
        changes: server.changes,
        reselected: company.reselected,
      });
      return { table: gatewayTable(report), findings, report, reasons: gatewayFailures(report, wanted) };
    } finally {
      await cluster?.stop();
      server.stop();
    }
  });
}

async function opened(cluster: Cluster, client: FaultyClient): Promise<GatewayCompany> {
  const heard = await askForToken(cluster, client);
  return GatewayCompany.open(client, dataOf(heard).token);
}

/** Tasks that still write. */
async function countOpen(cluster: Cluster): Promise<number> {
  const [row] = await cluster.rows<{ count: number }>(
    `select count(*)::int as count from task where kind = 'task' and status not in ('completed', 'blocked')`,
  );
  return row!.count;
}

async function reconcileAll(
  company: GatewayCompany,
  { effects }: ToolServer,
  { actions }: ActionRows,
  marked: readonly MarkedAction[],
): Promise<void> {
  const happened = new Set(effects.map(({ marker }) => marker));
  const markers = new Map(marked.map(({ id, marker }) => [id, marker]));
  for (const { id, status } of actions)
    if (status === 'reconciliation_required')
      await company.reconcile(id, happened.has(markers.get(id)!) ? 'succeeded' : 'not_executed');
}
