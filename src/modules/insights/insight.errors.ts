import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

export const InsightErrors = defineErrors({
  profileNotFound: { status: 404, code: 'not_found', message: 'There is no such agent profile here.' },
  receiptNotFound: { status: 404, code: 'not_found', message: 'There is no such receipt.' },
  profileDisabled: {
    status: 409,
    code: 'state_conflict',
    message: 'The agent profile is disabled: an owner can enable it.',
  },
  conflict: {
    status: 409,
    code: 'state_conflict',
    message: 'This cannot be answered as things stand: see the issue.',
  },
  tooSlow: {
    status: 503,
    code: 'service_unavailable',
    message: 'The answer takes too long: ask for less, or again after Retry-After seconds.',
  },
});

export const InsightIssues = defineIssues({
  invalidWindow: { code: 'invalid_window', message: 'is no window of days' },
  unsupportedGrain: { code: 'unsupported_grain', message: 'is no grain of this metric' },
  unsupportedDimension: { code: 'unsupported_dimension', message: 'is no dimension of this metric' },
  sourceMismatch: { code: 'source_mismatch', message: 'names a source that does not feed this metric' },
  definitionVersion: {
    code: 'definition_version',
    message: 'names a version of the definition that there is not: list the metrics again',
  },
  sourceUnavailable: {
    code: 'source_unavailable',
    message: 'names a source that the organization does not stand by any more: its connector was changed or withdrawn',
  },
});
