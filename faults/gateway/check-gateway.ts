import { checkActions } from '../actions/check-actions.ts';
import type { ActionRows } from '../actions/action-rows.ts';
import type { Findings } from '../findings.ts';
import type { Effect } from './tool-server.ts';

/** An action by the marker that its call carries. */
export interface MarkedAction {
  readonly id: string;
  readonly marker: string;
  readonly edition: number;
}

export interface GatewayWorld {
  readonly approved: readonly string[];
  readonly effects: readonly Effect[];
  readonly marked: readonly MarkedAction[];
  /** When nothing was under way any more, and no person had said what became of the ambiguous ones. */
  readonly parked: ActionRows;
  /** When a person had. */
  readonly ended: ActionRows;
}

/** Compares what runs proposed, what the server did and what the service says became of it. */
export function checkGateway({ approved, effects, marked, parked, ended }: GatewayWorld): Findings {
  const actionOf = new Map(marked.map((action) => [callOf(action), action.id]));
  const received = effects.map((effect) => {
    return { actionId: actionOf.get(callOf(effect)) ?? callOf(effect), dropped: effect.isAmbiguous, signed: true };
  });
  const findings = checkActions({ approved, received, parked, ended });
  const times = Map.groupBy(effects, ({ marker }) => marker);
  for (const [marker, own] of times)
    if (own.length > 1) findings.doubled.push(`the write ${marker} happened ${own.length} times`);
  for (const { marker, edition, shown } of effects)
    if (edition !== shown)
      findings.wrong.push(`the write ${marker} is of edition ${edition}, behind a list of edition ${shown}`);
  return findings;
}

/** A write that is made again by another definition is another action. */
function callOf({ marker, edition }: Pick<MarkedAction, 'marker' | 'edition'>): string {
  return `${marker}, edition ${edition}`;
}
