import type { Department } from '../organizations/index.ts';
import type { DiscoveryStatus, IntentionKind, IntentionStatus } from './discovery.state.ts';

/** After each failure but the last: how long until the next attempt. */
const RETRY_MINUTES = [15, 120] as const;

/** How long a move waits for a profile that may do the task. */
export const PROFILE_MINUTES = 1;

/** An intention as far as it decides how the others stand. */
export interface IntentionStanding {
  readonly key: string;
  readonly kind: IntentionKind;
  readonly status: IntentionStatus;
  readonly settled: boolean;
}

/** Whether all research has come to an end, and some of it left knowledge. */
export function isResearched(intentions: readonly IntentionStanding[]): boolean {
  const research = intentions.filter(({ kind }) => kind === 'research');
  return research.every(({ settled }) => settled) && research.some(({ status }) => status === 'evidence_retained');
}

export interface DiscoveryStanding {
  readonly intentions: readonly IntentionStanding[];
  readonly isSetUp: boolean;
  readonly enabledDepartments: readonly Department[];
}

/** How far an organization is. One without intentions is from before, and has nothing to find out. */
export function discoveryStatus({ intentions, isSetUp, enabledDepartments }: DiscoveryStanding): DiscoveryStatus {
  if (intentions.length === 0) return 'complete';
  if (intentions.some(({ kind, settled }) => kind === 'research' && !settled)) return 'researching';
  if (!isResearched(intentions)) return 'research_failed';
  if (!isSetUp) return 'awaiting_integration_setup';
  const isOpen = ({ key, kind, settled }: IntentionStanding) =>
    kind === 'department' && !settled && (enabledDepartments as readonly string[]).includes(key);
  return intentions.some(isOpen) ? 'departments_running' : 'complete';
}

/** When the attempt behind so many comes; undefined behind the last. */
export function minutesToRetry(attempts: number): number | undefined {
  return RETRY_MINUTES[attempts - 1];
}
