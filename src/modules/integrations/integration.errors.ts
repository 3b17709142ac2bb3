import { ApiError, defineErrors, defineIssues, EdgeErrors, type IssueRow, issueAt } from '../../kernel/errors/index.ts';
import { MOST_OWN_CONNECTORS } from './integration.state.ts';

export const IntegrationErrors = defineErrors({
  /** `issues[0].code` is the word for it. */
  conflict: {
    status: 409,
    code: 'state_conflict',
    message: 'The connector does not allow this as it stands; error.issues says why.',
  },
  tooMany: {
    status: 409,
    code: 'state_conflict',
    message: `The organization has ${MOST_OWN_CONNECTORS} connectors of its own, as many as it may have: delete one first.`,
  },
  keyInUse: { status: 409, code: 'state_conflict', message: 'Another connector has this key; choose another one.' },
  providerUnavailable: {
    status: 503,
    code: 'provider_unavailable',
    message:
      'The provider does not answer as it should right now; nothing was changed. Try again after Retry-After seconds.',
  },
});

export const IntegrationIssues = defineIssues({
  invalidEndpoint: {
    code: 'invalid_endpoint',
    message: 'must be an https URL without credentials, fragment, white space and backslashes, of a host with a name',
  },
  fixedEndpoint: { code: 'fixed_endpoint', message: 'is not for owners to say: the catalog has it' },
  notAnOwnKey: { code: 'not_an_own_key', message: 'must be a slug that begins with mcp-' },
  notAPermutation: { code: 'not_a_permutation', message: 'must be exactly the connectors of the purpose, reordered' },
  noResources: { code: 'no_resources', message: 'are repositories, which only the code host has' },
  foreignResource: { code: 'foreign_resource', message: 'must be the https address of the repository that is named' },
  // What was given now.
  providerRejected: { code: 'provider_rejected', message: 'is refused by the provider' },
  needsIndex: { code: 'needs_index', message: 'needs an index at the provider that serves it' },
  limitExceeded: { code: 'limit_exceeded', message: 'is more than fits: name fewer, or ask for less' },
  forbiddenHeader: {
    code: 'forbidden_header',
    message: 'is a header of the transport, of cookies, of proxies or of the protocol',
  },
  toolNotListed: { code: 'tool_not_listed', message: 'names a tool that the provider does not list' },
  toolNotEligible: { code: 'tool_not_eligible', message: 'names a tool that the access mode does not permit' },
  fixedReadOnly: { code: 'fixed_read_only', message: 'is not possible: the connector only reads' },

  // What stands against it.
  needsCredentials: { code: 'needs_credentials', message: 'The connector has no credential that works: connect it.' },
  noSettings: { code: 'no_settings', message: 'The connector has no settings yet: save them first.' },
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
  staleEpoch: {
    code: 'stale_epoch',
    message: 'What the organization permits has changed: read its authorizationEpoch again.',
  },
  needsVerification: {
    code: 'needs_verification',
    message: 'The connector is enabled when its settings are verified: save them.',
  },
  noInventory: { code: 'no_inventory', message: 'No tools were listed yet: connect it, or discover its tools.' },
  // What stands against the use by a profile, beside that.
  disabled: { code: 'disabled', message: 'The connector is switched off; an owner can enable it.' },
  needsSettings: { code: 'needs_settings', message: 'The connector lacks settings; an owner can save them.' },
  needsTools: { code: 'needs_tools', message: 'No tool of the connector may be used; an owner can select some.' },
  notGranted: { code: 'not_granted', message: 'The agent profile may not use the connector; an owner can grant it.' },
  toolUnknown: { code: 'tool_unknown', message: 'The connector has no tool of this name.' },
  toolNotSelected: { code: 'tool_not_selected', message: 'The tool is not selected; an owner can select it.' },
  toolMissing: { code: 'tool_missing', message: 'The provider does not offer the tool at present.' },
  toolQuarantined: {
    code: 'tool_quarantined',
    message: 'The definition of the tool has changed since it was selected; an owner can select it anew.',
  },
  readOnly: { code: 'read_only', message: 'The tool writes, and this execution may only read through the connector.' },
  notSupported: { code: 'not_supported', message: 'Connectors of this kind do not have this.' },
});

/** A 409 with its word. */
export function conflict(issue: IssueRow, message = issue.message, path = ''): ApiError {
  return new ApiError(IntegrationErrors.conflict, { message, issues: [issueAt(path, issue, message)] });
}

/** What is unknown, removed or of another organization. */
export const NOT_FOUND = EdgeErrors.notFound;
