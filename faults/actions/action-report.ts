import type { Findings } from '../findings.ts';
import type { ActionsWorld } from './check-actions.ts';
import type { Kills } from './kills.ts';

export interface ActionReport {
  readonly seconds: number;
  /** Of API processes; of these while actions were on their way. */
  readonly kills: number;
  readonly killsAtWork: number;
  readonly approved: number;
  /** Requests that the receiver read; of these without an answer. */
  readonly arrived: number;
  readonly dropped: number;
  readonly succeeded: number;
  readonly notExecuted: number;
  /** Parked until a person said what became of them; of these never seen by the receiver. */
  readonly ambiguous: number;
  readonly ambiguousUnseen: number;
  /** Most requests of one action. */
  readonly mostRequests: number;
  readonly lost: number;
  readonly doubled: number;
  readonly stuck: number;
  readonly wrong: number;
}

interface Happened {
  readonly seconds: number;
  readonly kills: Kills;
  readonly world: ActionsWorld;
  readonly findings: Findings;
}

export function actionReportOf({ seconds, kills, world, findings }: Happened): ActionReport {
  const { approved, received, parked } = world;
  const requests = Map.groupBy(received, ({ actionId }) => actionId);
  const ambiguous = parked.actions.filter(({ status }) => status === 'reconciliation_required');
  const count = (wanted: string) => parked.actions.filter(({ status }) => status === wanted).length;
  return {
    seconds: Math.round(seconds),
    kills: kills.all,
    killsAtWork: kills.atWork,
    approved: approved.length,
    arrived: received.length,
    dropped: received.filter(({ dropped }) => dropped).length,
    succeeded: count('succeeded'),
    notExecuted: count('not_executed'),
    ambiguous: ambiguous.length,
    ambiguousUnseen: ambiguous.filter(({ id }) => !requests.has(id)).length,
    mostRequests: Math.max(0, ...[...requests.values()].map(({ length }) => length)),
    lost: findings.lost.length,
    doubled: findings.doubled.length,
    stuck: findings.stuck.length,
    wrong: findings.wrong.length,
  };
}

const WORDS: Readonly<Record<keyof ActionReport, string>> = {
  seconds: 'seconds',
  kills: 'kills of API processes',
  killsAtWork: '  of them at work',
  approved: 'approved actions',
  arrived: 'requests that arrived',
  dropped: '  of them not answered',
  succeeded: 'succeeded',
  notExecuted: 'not executed',
  ambiguous: 'parked as ambiguous',
  ambiguousUnseen: '  of them never arrived',
  mostRequests: 'most requests of one action',
  lost: 'lost',
  doubled: 'doubled',
  stuck: 'stuck',
  wrong: 'wrong otherwise',
};

export function actionTable(report: ActionReport): string {
  return numbersTable(report, WORDS);
}

/** A line a number, in the order of their words. */
export function numbersTable<K extends string>(
  report: Readonly<Record<K, number>>,
  words: Readonly<Record<K, string>>,
): string {
  const width = Math.max(...Object.values<string>(words).map(({ length }) => length));
  return (Object.entries(words) as [K, string][])
    .map(([key, word]) => `${word.padEnd(width)}  ${String(report[key]).padStart(8)}`)
    .join('\n');
}

/** Why the run proves nothing, or which promise it broke; empty if all is well. */
export function actionFailures(
  report: ActionReport,
  wanted: { readonly actions: number; readonly kills: number },
): string[] {
  const { approved, kills, killsAtWork, dropped, ambiguous, succeeded, lost, doubled, stuck, wrong } = report;
  return [
    ...(approved < wanted.actions ? [`only ${approved} of ${wanted.actions} actions`] : []),
    ...(kills < Math.max(1, wanted.kills) ? [`only ${kills} of ${Math.max(1, wanted.kills)} kills`] : []),
    ...(killsAtWork === 0 ? ['no kill while actions were on their way'] : []),
    ...(dropped === 0 || ambiguous === 0 ? ['nothing was ambiguous'] : []),
    ...(succeeded === 0 ? ['nothing succeeded'] : []),
    ...(lost + doubled + stuck + wrong > 0 ? ['promises were broken'] : []),
  ];
}
