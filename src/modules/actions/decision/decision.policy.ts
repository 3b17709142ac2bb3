import { ApiError } from '../../../kernel/errors/index.ts';
import type { LockedAction } from '../action-row.ts';
import { ActionErrors } from '../action.errors.ts';
import type { DecisionKind } from '../action.state.ts';
import type { DecisionDto } from './decision.dto.ts';

export type Verdict = Extract<DecisionKind, 'approve' | 'reject'>;

/** Words of a refusal. */
const DECIDED = { approve: 'approved', reject: 'rejected', policy: 'approved by the policy' } as const;

/**
 * Whether the decision was made already, so that there is nothing to do; throws 409 where it cannot be made. What a repeat
 * expects of the revision was true before the decision; the digest never changes.
 */
export function isRepeat(action: LockedAction, verdict: Verdict, expected: DecisionDto): boolean {
  const { decision, status, revision, argumentsDigest, isPast } = action;
  if (expected.expectedDigest !== undefined && expected.expectedDigest !== argumentsDigest)
    throw conflict('The action has another digest than the one that was decided; read it again.');
  if (status === 'expired' || status === 'cancelled') throw conflict(`The action is ${status}.`);
  if (decision?.kind === verdict) return true;
  if (decision) throw conflict(`The action was ${DECIDED[decision.kind]} already.`);
  if (status !== 'awaiting_approval') throw conflict('The action awaits no decision.');
  if (isPast) throw conflict('The action has expired.');
  if (expected.expectedRevision !== undefined && expected.expectedRevision !== revision)
    throw conflict('The action has another revision than the one that was decided; read it again.');
  return false;
}

function conflict(message: string): ApiError {
  return new ApiError(ActionErrors.stateConflict, { message });
}
