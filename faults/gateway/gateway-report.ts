import { type ActionReport, actionFailures, actionReportOf, numbersTable } from '../actions/action-report.ts';
import type { Kills } from '../actions/kills.ts';
import type { Findings } from '../findings.ts';
import type { GatewayWorld } from './check-gateway.ts';

export interface GatewayReport extends Omit<ActionReport, 'approved' | 'dropped'> {
  /** Actions that were proposed; of these by the tool's own route, and by MCP. */
  readonly writes: number;
  readonly byCall: number;
  readonly byMcp: number;
  /** Writes that happened and were not answered as what they were. */
  readonly unknown: number;
  readonly failed: number;
  /** Actions whose tool was defined otherwise than they were bound to, which were not sent. */
  readonly expired: number;
  /** Definitions that the server changed, and how often the owner selected tools again. */
  readonly changes: number;
  readonly reselected: number;
}

interface Happened {
  readonly seconds: number;
  readonly kills: Kills;
  readonly world: GatewayWorld;
  readonly findings: Findings;
  readonly written: { readonly call: number; readonly mcp: number };
  readonly changes: number;
  readonly reselected: number;
}

export function gatewayReportOf({ world, written, changes, reselected, ...happened }: Happened): GatewayReport {
  const { effects, parked, marked } = world;
  const idOf = new Map(marked.map(({ marker, edition, id }) => [`${marker} ${edition}`, id]));
  const received = effects.map(({ marker, edition, isAmbiguous }) => {
    return { actionId: idOf.get(`${marker} ${edition}`) ?? marker, dropped: isAmbiguous, signed: true };
  });
  const { approved: _, dropped, ...report } = actionReportOf({ ...happened, world: { ...world, received } });
  const count = (wanted: string) => parked.actions.filter(({ status }) => status === wanted).length;
  return {
    ...report,
    writes: parked.actions.length,
    byCall: written.call,
    byMcp: written.mcp,
    unknown: dropped,
    failed: count('failed'),
    expired: count('expired'),
    changes,
    reselected,
  };
}

const WORDS: Readonly<Record<keyof GatewayReport, string>> = {
  seconds: 'seconds',
  kills: 'kills of API processes',
  killsAtWork: '  of them at work',
  writes: 'writes',
  byCall: '  by the route of the tool',
  byMcp: '  by MCP',
  arrived: 'writes that happened',
  unknown: '  of them not answered, or wrongly',
  succeeded: 'succeeded',
  failed: 'refused by the server',
  notExecuted: 'not executed',
  expired: 'expired, the tool was defined anew',
  changes: 'definitions that changed',
  reselected: 'tools that the owner selected again',
  ambiguous: 'parked as ambiguous',
  ambiguousUnseen: '  of them never happened',
  mostRequests: 'most requests of one write',
  lost: 'lost',
  doubled: 'doubled',
  stuck: 'stuck',
  wrong: 'wrong otherwise',
};

export function gatewayTable(report: GatewayReport): string {
  return numbersTable(report, WORDS);
}

/** Why the run proves nothing, or which promise it broke; empty if all is well. */
export function gatewayFailures(
  report: GatewayReport,
  { writes: wanted, kills }: { readonly writes: number; readonly kills: number },
): string[] {
  const { writes, unknown, expired, byCall, byMcp } = report;
  return [
    ...actionFailures({ ...report, approved: writes, dropped: unknown }, { actions: wanted, kills }),
    ...(expired === 0 ? ['no definition changed under a write'] : []),
    ...(byCall === 0 || byMcp === 0 ? ['one of the two ways was not used'] : []),
  ];
}
