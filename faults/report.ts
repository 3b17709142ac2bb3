import type { Faults } from './chaos.ts';
import type { Findings } from './findings.ts';
import type { Call } from './history.ts';
import type { OutageReport } from './outages.ts';
import type { Rows } from './rows.ts';

export interface Run {
  readonly seed: string;
  readonly seconds: number;
  readonly faults: Faults;
  readonly outage: OutageReport;
  readonly calls: readonly Call[];
  readonly rows: Rows;
  readonly findings: Findings;
}

export interface Report {
  readonly seed: string;
  readonly seconds: number;
  /** Tasks from their creation to their end. */
  readonly lifecycles: number;
  readonly runs: number;
  readonly expired: number;
  readonly calls: number;
  readonly repeats: number;
  readonly kills: number;
  readonly killedApis: number;
  readonly killedRuntimes: number;
  readonly pauses: number;
  readonly databaseRestarts: number;
  readonly frozenOrCutSessions: number;
  readonly clockJumps: number;
  /** All sessions ended, and fast restarts of the database, during owners' writes only. */
  readonly outages: number;
  readonly failedInOutages: number;
  /** Calls that began a second after the last one. */
  readonly failedAfterOutages: number;
  readonly connectionsBefore: number;
  readonly connectionsAfter: number;
  readonly conflicts: number;
  readonly lost: number;
  readonly doubled: number;
  readonly stuck: number;
  readonly wrong: number;
  /** From the last call of a run that died until its work was free for another worker. */
  readonly slowestRecoverySeconds: number;
  /** The same until the work was started again, which its backoff and more urgent work delay on purpose. */
  readonly slowestRestartSeconds: number;
}

export function reportOf({ seed, seconds, faults, outage, calls, rows, findings }: Run): Report {
  const { lost, doubled, stuck, wrong } = findings;
  const answers = calls.flatMap((call) => call.answers);
  const expired = rows.runs.filter(({ status }) => status === 'expired');
  const restarts = expired.flatMap(({ requestId, attempt, beatAt }) => {
    const next = rows.runs.find((run) => run.requestId === requestId && run.attempt === attempt + 1);
    return next ? [next.startedAt - beatAt] : [];
  });
  return {
    seed,
    seconds: Math.round(seconds),
    lifecycles: rows.tasks.filter(({ status }) => ['completed', 'failed', 'cancelled'].includes(status)).length,
    runs: rows.runs.length,
    expired: expired.length,
    calls: calls.length,
    repeats: answers.length - calls.filter((call) => call.answers.length > 0).length,
    kills: faults.killApi + faults.killWorker,
    killedApis: faults.killApi,
    killedRuntimes: faults.killWorker,
    pauses: faults.pauseApi + faults.pauseWorker,
    databaseRestarts: faults.crashDatabase,
    frozenOrCutSessions: faults.freezeSession + faults.cutSession,
    clockJumps: faults.jumpClock,
    outages: outage.cuts + outage.restarts,
    failedInOutages: outage.failedMeanwhile,
    failedAfterOutages: outage.failedAfter,
    connectionsBefore: outage.connectionsBefore,
    connectionsAfter: outage.connectionsAfter,
    conflicts: answers.filter(({ status }) => status === 409).length,
    lost: lost.length,
    doubled: doubled.length,
    stuck: stuck.length,
    wrong: wrong.length,
    slowestRecoverySeconds: longest(expired.map(({ beatAt, finishedAt }) => finishedAt! - beatAt)),
    slowestRestartSeconds: longest(restarts),
  };
}

function longest(times: readonly number[]): number {
  return Math.round(Math.max(0, ...times) / 100) / 10;
}

const WORDS: Readonly<Record<keyof Report, string>> = {
  seed: 'seed',
  seconds: 'seconds',
  lifecycles: 'lifecycles',
  runs: 'runs',
  expired: '  of them expired',
  calls: 'calls',
  repeats: '  answered once more',
  kills: 'kills',
  killedApis: '  of API processes',
  killedRuntimes: '  of runtimes',
  pauses: 'pauses',
  databaseRestarts: 'database restarts',
  frozenOrCutSessions: 'sessions frozen or cut',
  clockJumps: 'clock jumps',
  outages: 'outages of the database',
  failedInOutages: '  calls that failed in them',
  failedAfterOutages: '  that failed a second later',
  connectionsBefore: '  connections before',
  connectionsAfter: '  connections after',
  conflicts: 'conflicts',
  lost: 'lost',
  doubled: 'doubled',
  stuck: 'stuck',
  wrong: 'wrong otherwise',
  slowestRecoverySeconds: 'slowest recovery, s',
  slowestRestartSeconds: '  until begun again, s',
};

export function table(report: Report): string {
  const width = Math.max(...Object.values(WORDS).map((word) => word.length));
  const lines = (Object.entries(WORDS) as [keyof Report, string][]).map(
    ([key, word]) => `${word.padEnd(width)}  ${String(report[key]).padStart(8)}`,
  );
  return lines.join('\n');
}

/** Why the run proves nothing, or which promise it broke; empty if all is well. */
export function failures(report: Report, wanted: { readonly lifecycles: number; readonly kills: number }): string[] {
  const { lifecycles, kills, conflicts, databaseRestarts, lost, doubled, stuck, wrong } = report;
  const { failedInOutages, failedAfterOutages, connectionsBefore, connectionsAfter } = report;
  return [
    ...(lifecycles < wanted.lifecycles ? [`only ${lifecycles} of ${wanted.lifecycles} lifecycles`] : []),
    ...(kills < wanted.kills ? [`only ${kills} of ${wanted.kills} kills`] : []),
    ...(conflicts === 0 ? ['no conflicts'] : []),
    ...(databaseRestarts === 0 ? ['no restart of the database'] : []),
    ...(failedInOutages === 0 ? ['outages that no call noticed'] : []),
    ...(failedAfterOutages > 0 ? [`${failedAfterOutages} calls failed a second after an outage`] : []),
    ...(connectionsBefore === 0 || connectionsAfter < connectionsBefore
      ? [`${connectionsAfter} of ${connectionsBefore} connections after the outages`]
      : []),
    ...(lost + doubled + stuck + wrong > 0 ? ['promises were broken'] : []),
  ];
}
