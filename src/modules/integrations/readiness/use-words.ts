import { EdgeIssues, type IssueRow } from '../../../kernel/errors/index.ts';
import { IntegrationIssues } from '../integration.errors.ts';
import type { UseRefusal } from './readiness.policy.ts';

/** The words of the one function that says who may use what. */
const WORDS: Readonly<Record<UseRefusal, IssueRow>> = {
  retired: IntegrationIssues.retired,
  blocked: IntegrationIssues.blocked,
  disabled: IntegrationIssues.disabled,
  needs_credentials: IntegrationIssues.needsCredentials,
  needs_settings: IntegrationIssues.needsSettings,
  needs_tools: IntegrationIssues.needsTools,
  needs_verification: IntegrationIssues.needsVerification,
  not_granted: IntegrationIssues.notGranted,
  profile_disabled: EdgeIssues.profileDisabled,
  tool_unknown: IntegrationIssues.toolUnknown,
  tool_not_selected: IntegrationIssues.toolNotSelected,
  tool_missing: IntegrationIssues.toolMissing,
  tool_quarantined: IntegrationIssues.toolQuarantined,
  read_only: IntegrationIssues.readOnly,
};

export function useWordOf(refusal: UseRefusal): IssueRow {
  return WORDS[refusal];
}

/** All of them, for whoever answers with them. */
export const USE_ISSUES: readonly IssueRow[] = Object.values(WORDS);
