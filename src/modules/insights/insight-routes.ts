import { EdgeErrors, EdgeIssues, withIssues } from '../../kernel/errors/index.ts';
import { IntegrationIssues } from '../integrations/index.ts';
import { OrganizationIssues } from '../organizations/index.ts';
import { InsightErrors, InsightIssues } from './insight.errors.ts';

export const QUERY =
  'Each number says on which source, version of the definition, timezone, currency and coverage it stands; sources, currencies and timezones are never added up. Days are those of each series’ timezone. What was not measured is null, with the reason, and never zero. Everything is read as of one publication. The answer is kept: cite its `receiptId`. At most twelve calendar months, 20 metrics, 100 series, 10,000 points, 5 MiB and 30 seconds; what is more is refused before any figure is read.';

export const RECEIPT =
  'The same bytes as when it was given, whatever was collected or changed since, so that its digest holds. Refused once the organization stands by one of its sources no more.';

export const QUERY_ERRORS = [
  withIssues(
    EdgeErrors.validationFailed,
    IntegrationIssues.limitExceeded,
    InsightIssues.invalidWindow,
    InsightIssues.unsupportedGrain,
    InsightIssues.unsupportedDimension,
    InsightIssues.sourceMismatch,
    EdgeIssues.unknownReference,
    OrganizationIssues.invalidCurrency,
  ),
  withIssues(InsightErrors.conflict, InsightIssues.definitionVersion, InsightIssues.sourceUnavailable),
  InsightErrors.tooSlow,
];

export const RECEIPT_ERRORS = [
  InsightErrors.receiptNotFound,
  withIssues(InsightErrors.conflict, InsightIssues.sourceUnavailable),
];
