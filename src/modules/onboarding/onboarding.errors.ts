import { defineErrors, defineIssues, EdgeIssues } from '../../kernel/errors/index.ts';
import { SOURCES } from './onboarding.policy.ts';

export const OnboardingErrors = defineErrors({
  notFound: { status: 404, code: 'request_failed', message: 'This organization did not begin as an onboarding.' },
  sourceNotFound: { status: 404, code: 'request_failed', message: 'The onboarding has no such source.' },
  notPermitted: {
    status: 409,
    code: 'request_failed',
    message: 'The state of the onboarding does not permit this; read it again.',
  },
  withoutSource: { status: 409, code: 'request_failed', message: 'There is nothing to review: store a source first.' },
  tooManySources: {
    status: 409,
    code: 'request_failed',
    message: `An onboarding has at most ${SOURCES.most} sources of ${SOURCES.mostBytes / 1024 / 1024} MiB in all.`,
  },
  reviewStale: {
    status: 409,
    code: 'request_failed',
    message: 'What was reviewed has changed since: start the review again.',
  },
  warningsNotAllowed: {
    status: 409,
    code: 'request_failed',
    message: 'The review has warnings: correct what they name, or allow them.',
  },
  bytesDamaged: {
    status: 409,
    code: 'request_failed',
    message: 'The stored bytes of the source are damaged or gone: store the source again.',
    issues: [EdgeIssues.bytesDamaged],
  },
  tooLarge: { status: 413, code: 'request_failed', message: 'A source has at most 50 MiB: store it in parts.' },
  unsupported: { status: 415, code: 'request_failed', message: 'Sources of this type are not accepted.' },
});

export const OnboardingIssues = defineIssues({
  tooManySources: {
    code: 'too_many_sources',
    message: 'is more than an onboarding takes: delete another source first',
  },
  reviewStale: { code: 'review_stale', message: 'is not the digest of a review of what there is now' },
  warningsNotAllowed: { code: 'warnings_not_allowed', message: 'is false, and the review has warnings' },
});
