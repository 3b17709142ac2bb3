import type { ActionDetailDto, ActionDto } from './action.dto.ts';
import {
  ACTION_LIMITS,
  type ActionDecision,
  type ActionError,
  type ActionFacts,
  type ActionKind,
  type ActionPolicy,
  type ActionRisk,
  type ActionStatus,
} from './action.state.ts';
import { cutToBytes } from './cut-to-bytes.ts';

/** An action as statements read it. */
export interface ActionRow extends Omit<ActionDto, 'policy' | 'decision' | 'error'> {
  readonly policy: ActionPolicy;
  readonly decision: ActionDecision | null;
  readonly error: ActionError | null;
}

export interface ActionDetailRow extends ActionRow {
  /** Canonical JSON. */
  readonly arguments: string;
}

/** The facts that decide how an action may move, read after its lock was taken. */
export interface LockedAction {
  readonly id: string;
  readonly reference: string;
  readonly kind: ActionKind;
  readonly title: string;
  readonly connectorKey: string;
  readonly integrationId: string | null;
  readonly toolName: string;
  /** Canonical JSON. */
  readonly arguments: string;
  readonly argumentsDigest: string;
  readonly taskId: string | null;
  readonly chatId: string | null;
  readonly runId: string | null;
  readonly agentProfileId: string;
  readonly risk: ActionRisk;
  readonly policy: ActionPolicy;
  readonly decision: ActionDecision | null;
  readonly status: ActionStatus;
  readonly revision: number;
  readonly facts: ActionFacts;
  readonly dedupeKey: string;
  readonly inboxItemId: string | null;
  /** Whether its `expiresAt` has passed. */
  readonly isPast: boolean;
  /** When it was released to its provider; null before. */
  readonly sentAt: string | null;
  readonly executorToken: string | null;
  readonly lapses: number;
}

export function toAction(row: ActionRow): ActionDto {
  return { ...row, preview: cutToBytes(row.preview, ACTION_LIMITS.shownPreviewBytes) };
}

export function toActionDetail(row: ActionDetailRow): ActionDetailDto {
  return { ...row, arguments: JSON.parse(row.arguments) as Record<string, unknown> };
}
