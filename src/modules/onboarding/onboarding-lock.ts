import type { Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { lockOrganizationRow } from '../organizations/index.ts';
import { OnboardingErrors } from './onboarding.errors.ts';
import { type LockedOnboarding, lockOnboarding } from './onboarding.queries.ts';
import { type OnboardingMove, onboardingMoves, type OnboardingState } from './onboarding.state.ts';

/** Locks the organization, then its onboarding. */
export async function lockedOnboarding(tx: Tx): Promise<LockedOnboarding> {
  const { organizationId } = tx;
  const [organization, [onboarding]] = await tx.batch([
    lockOrganizationRow(organizationId),
    lockOnboarding(organizationId),
  ]);
  if (organization.length === 0) throw new ApiError(EdgeErrors.organizationNotFound);
  if (!onboarding) throw new ApiError(OnboardingErrors.notFound);
  return onboarding;
}

/** What an owner can do instead. */
const ADVICE = {
  draft: 'start its review first.',
  reviewing: 'wait until its review has ended.',
  review_ready: 'complete it, or change its sources.',
  completed: 'it cannot be changed any more.',
  failed: 'start its review again.',
  discarded: 'it is gone.',
} as const satisfies Record<OnboardingState, string>;

/** The state after a move, with the time for its row; 409 where the state does not permit the move. */
export function moved(
  { state, now }: Pick<LockedOnboarding, 'state' | 'now'>,
  move: OnboardingMove,
): { readonly state: OnboardingState; readonly now: string } {
  const to = onboardingMoves.after(move, state);
  if (to === undefined)
    throw new ApiError(OnboardingErrors.notPermitted, { message: `The onboarding is ${state}: ${ADVICE[state]}` });
  return { state: to, now };
}
