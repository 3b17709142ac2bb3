import { ApiError, defineErrors, defineIssues, EdgeErrors, type IssueRow, issueAt } from '../../kernel/errors/index.ts';

export const IntegrationErrors = defineErrors({
  /** `issues[0].code` is the word for it. */
  conflict: {
    status: 409,
    code: 'state_conflict',
    message: 'The connector does not allow this as it stands; error.issues says why.',
  },
  providerUnavailable: {
    status: 503,
    code: 'provider_unavailable',
    message:
      'The provider does not answer as it should right now; nothing was changed. Try again after Retry-After seconds.',
  },
});

export const IntegrationIssues = defineIssues({
  // What was given now.
  providerRejected: { code: 'provider_rejected', message: 'is refused by the provider' },
  forbiddenHeader: {
    code: 'forbidden_header',
    message: 'is a header of the transport, of cookies, of proxies or of the protocol',
  },
  toolNotListed: { code: 'tool_not_listed', message: 'names a tool that the provider does not list' },
  toolNotEligible: { code: 'tool_not_eligible', message: 'names a tool that the access mode does not permit' },
  fixedReadOnly: { code: 'fixed_read_only', message: 'is not possible: the connector only reads' },

  // What stands against it.
  needsCredentials: { code: 'needs_credentials', message: 'The connector has no credential that works: connect it.' },
  credentialRefused: {
    code: 'credential_refused',
    message: 'The provider refuses the stored credential: connect it anew.',
  },
  notConfigured: { code: 'not_configured', message: 'The deployment lacks what this needs; ask its operator.' },
  originNotApproved: {
    code: 'origin_not_approved',
    message: 'The deployment does not approve the origin; ask its operator.',
  },
  retired: { code: 'retired', message: 'The service no longer has this kind of connector.' },
  blocked: { code: 'blocked', message: 'The constraints of the organization, or the deployment, do not permit it.' },
  changedMeanwhile: {
    code: 'changed_meanwhile',
    message: 'The connector was changed while the provider was asked; nothing was stored. Read it and try again.',
  },
  staleRevision: { code: 'stale_revision', message: 'The connector has another revision by now; read it again.' },
  staleSettings: { code: 'stale_settings', message: 'The settings are others by now; read them again.' },
  noInventory: { code: 'no_inventory', message: 'No tools were listed yet: connect it, or discover its tools.' },
  notSupported: { code: 'not_supported', message: 'Connectors of this kind do not have this.' },
  checkUnderWay: { code: 'check_under_way', message: 'A check is under way.' },
});

/** A 409 with its word. */
export function conflict(issue: IssueRow, message = issue.message, path = ''): ApiError {
  return new ApiError(IntegrationErrors.conflict, { message, issues: [issueAt(path, issue, message)] });
}

/** What is unknown, removed or of another organization. */
export const NOT_FOUND = EdgeErrors.notFound;
