import { ApiError, EdgeIssues, issueAt, type IssueRow, withIssues } from '../../kernel/errors/index.ts';
import { IntegrationIssues, type UseRefusal } from '../integrations/index.ts';
import { GatewayErrors, GatewayIssues } from './gateway.errors.ts';

/** The words of the one function that says who may use what. */
const WORDS: Readonly<Record<UseRefusal, IssueRow>> = {
  retired: IntegrationIssues.retired,
  blocked: IntegrationIssues.blocked,
  disabled: GatewayIssues.disabled,
  needs_credentials: IntegrationIssues.needsCredentials,
  needs_settings: GatewayIssues.needsSettings,
  needs_tools: GatewayIssues.needsTools,
  needs_verification: IntegrationIssues.needsVerification,
  not_granted: GatewayIssues.notGranted,
  profile_disabled: EdgeIssues.profileDisabled,
  tool_unknown: GatewayIssues.toolUnknown,
  tool_not_selected: GatewayIssues.toolNotSelected,
  tool_missing: GatewayIssues.toolMissing,
  tool_quarantined: GatewayIssues.toolQuarantined,
  read_only: GatewayIssues.readOnly,
};

export function wordOf(refusal: UseRefusal): IssueRow {
  return WORDS[refusal];
}

const OF_TOOLS: ReadonlySet<UseRefusal> = new Set([
  'tool_unknown',
  'tool_not_selected',
  'tool_missing',
  'tool_quarantined',
  'read_only',
]);

/** Whether another tool of the connector might be used all the same. */
export function isOfTool(refusal: UseRefusal): boolean {
  return OF_TOOLS.has(refusal);
}

/** 409 with its word. */
export function refused(issue: IssueRow, path = ''): ApiError {
  return new ApiError(GatewayErrors.conflict, { message: issue.message, issues: [issueAt(path, issue)] });
}

/** 404 of a tool that the connector never had, 409 of all else. */
export function refusedUse(refusal: UseRefusal, path = ''): ApiError {
  const issue = wordOf(refusal);
  if (refusal !== 'tool_unknown') return refused(issue, path);
  return new ApiError(GatewayErrors.toolNotFound, { issues: [issueAt(path, issue)] });
}

/** Every word that a use may be refused with, for the documents. */
export const REFUSALS = withIssues(
  GatewayErrors.conflict,
  IntegrationIssues.staleEpoch,
  GatewayIssues.notCallable,
  ...Object.values(WORDS).filter((row) => row !== GatewayIssues.toolUnknown),
);
