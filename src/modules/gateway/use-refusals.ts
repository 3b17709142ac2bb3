import { ApiError, issueAt, type IssueRow, withIssues } from '../../kernel/errors/index.ts';
import { IntegrationIssues, USE_ISSUES, type UseRefusal, useWordOf } from '../integrations/index.ts';
import { GatewayErrors, GatewayIssues } from './gateway.errors.ts';

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
  const issue = useWordOf(refusal);
  if (refusal !== 'tool_unknown') return refused(issue, path);
  return new ApiError(GatewayErrors.toolNotFound, { issues: [issueAt(path, issue)] });
}

/** The codes of those words. */
export const USE_WORDS: ReadonlySet<string> = new Set(USE_ISSUES.map(({ code }) => code));

/** Every word that a use may be refused with, for the documents. */
export const REFUSALS = withIssues(
  GatewayErrors.conflict,
  IntegrationIssues.staleEpoch,
  GatewayIssues.notCallable,
  ...USE_ISSUES.filter((row) => row !== IntegrationIssues.toolUnknown),
);
