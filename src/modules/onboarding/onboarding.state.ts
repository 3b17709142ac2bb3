import { type StatusMove, StatusMoves } from '../../kernel/sql/index.ts';

/** The last two are ends; an organization whose onboarding is `discarded` is gone for everyone. */
export const ONBOARDING_STATES = ['draft', 'reviewing', 'review_ready', 'completed', 'failed', 'discarded'] as const;
export type OnboardingState = (typeof ONBOARDING_STATES)[number];

/** Every move of an onboarding. */
export const ONBOARDING_MOVES = {
  /** A source is stored, replaced or deleted: what was reviewed is no more what there is. */
  edit: { draft: 'draft', review_ready: 'draft', failed: 'draft' },
  start: { draft: 'reviewing', review_ready: 'reviewing', failed: 'reviewing' },
  recordReview: { reviewing: 'review_ready' },
  fail: { reviewing: 'failed' },
  complete: { review_ready: 'completed' },
  discard: { draft: 'discarded', reviewing: 'discarded', review_ready: 'discarded', failed: 'discarded' },
} as const satisfies Record<string, StatusMove<OnboardingState>>;
export type OnboardingMove = keyof typeof ONBOARDING_MOVES;

export const onboardingMoves = new StatusMoves<OnboardingState, OnboardingMove>(ONBOARDING_MOVES);

/** `note` is what somebody wrote for the onboarding; both are read alike. */
export const SOURCE_KINDS = ['file', 'note'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Why a review cannot be used at all; warnings an owner may allow. */
export const ONBOARDING_ERROR_CODES = ['bytes_damaged', 'review_failed'] as const;
export type OnboardingErrorCode = (typeof ONBOARDING_ERROR_CODES)[number];

export interface OnboardingError {
  readonly code: OnboardingErrorCode;
  readonly message: string;
  readonly sourceId: string | null;
}

/** Warnings about one source, of its own bytes or beside others. */
export const SOURCE_WARNING_CODES = [
  'empty_file',
  'encrypted',
  'damaged',
  'content_mismatch',
  'no_text',
  'too_complex',
  'text_truncated',
  'charset_guessed',
  'duplicate',
  'department_not_chosen',
] as const;
export type SourceWarningCode = (typeof SOURCE_WARNING_CODES)[number];

export const REVIEW_WARNING_CODES = [
  ...SOURCE_WARNING_CODES,
  'department_without_material',
  'website_missing',
  'currency_missing',
] as const;
export type ReviewWarningCode = (typeof REVIEW_WARNING_CODES)[number];
