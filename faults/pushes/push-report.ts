import { numbersTable } from '../actions/action-report.ts';
import type { Kills } from '../actions/kills.ts';
import type { Findings } from '../findings.ts';
import type { PushesWorld } from './check-pushes.ts';
import type { Manner } from './git-host.ts';

export interface PushReport {
  readonly seconds: number;
  /** Of API processes; of these while pushes were on their way. */
  readonly kills: number;
  readonly killsAtWork: number;
  readonly approved: number;
  /** Requests that the host read; of these, what became of them. */
  readonly arrived: number;
  readonly droppedBefore: number;
  readonly droppedAndDone: number;
  readonly droppedAfter: number;
  readonly succeeded: number;
  readonly notExecuted: number;
  /** Of which nobody knew what became; of these, what the branch told. */
  readonly ambiguous: number;
  readonly foundDone: number;
  readonly foundNotDone: number;
  /** Most requests of one push. */
  readonly mostRequests: number;
  readonly lost: number;
  readonly doubled: number;
  readonly stuck: number;
  readonly wrong: number;
}

interface Happened {
  readonly seconds: number;
  readonly kills: Kills;
  readonly world: PushesWorld;
  readonly findings: Findings;
}

export function pushReportOf({ seconds, kills, world, findings }: Happened): PushReport {
  const { approved, received, pushes } = world;
  const times = Map.groupBy(received, ({ newOid, ref }) => `${newOid} ${ref}`);
  const ambiguous = pushes.filter(({ looks }) => looks > 0);
  const count = (wanted: string, of = pushes) => of.filter(({ status }) => status === wanted).length;
  const of = (wanted: Manner) => received.filter(({ manner }) => manner === wanted).length;
  return {
    seconds: Math.round(seconds),
    kills: kills.all,
    killsAtWork: kills.atWork,
    approved: approved.length,
    arrived: received.length,
    droppedBefore: of('drops before'),
    droppedAndDone: of('drops before, and goes on'),
    droppedAfter: of('drops after'),
    succeeded: count('succeeded'),
    notExecuted: count('not_executed'),
    ambiguous: ambiguous.length,
    foundDone: count('succeeded', ambiguous),
    foundNotDone: count('not_executed', ambiguous),
    mostRequests: Math.max(0, ...[...times.values()].map(({ length }) => length)),
    lost: findings.lost.length,
    doubled: findings.doubled.length,
    stuck: findings.stuck.length,
    wrong: findings.wrong.length,
  };
}

const WORDS: Readonly<Record<keyof PushReport, string>> = {
  seconds: 'seconds',
  kills: 'kills of API processes',
  killsAtWork: '  of them at work',
  approved: 'approved pushes',
  arrived: 'requests that arrived',
  droppedBefore: '  dropped before the effect',
  droppedAndDone: '  dropped before, and done later',
  droppedAfter: '  dropped after the effect',
  succeeded: 'succeeded',
  notExecuted: 'not executed',
  ambiguous: 'of which nobody knew',
  foundDone: '  found done by the branch',
  foundNotDone: '  found not done ten minutes later',
  mostRequests: 'most requests of one push',
  lost: 'lost',
  doubled: 'doubled',
  stuck: 'stuck',
  wrong: 'wrong otherwise',
};

export function pushTable(report: PushReport): string {
  return numbersTable(report, WORDS);
}

/** Why the run proves nothing, or which promise it broke; empty if all is well. */
export function pushFailures(
  report: PushReport,
  wanted: { readonly pushes: number; readonly kills: number },
): string[] {
  const { approved, kills, killsAtWork, droppedBefore, droppedAfter, lost, doubled, stuck, wrong } = report;
  return [
    ...(approved < wanted.pushes ? [`only ${approved} of ${wanted.pushes} pushes`] : []),
    ...(kills < Math.max(1, wanted.kills) ? [`only ${kills} of ${Math.max(1, wanted.kills)} kills`] : []),
    ...(killsAtWork === 0 ? ['no kill while pushes were on their way'] : []),
    ...(droppedBefore === 0 || droppedAfter === 0 ? ['nothing was ambiguous'] : []),
    ...(lost + doubled + stuck + wrong > 0 ? ['promises were broken'] : []),
  ];
}
