import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

export const GatewayErrors = defineErrors({
  /** `issues[0].code` is the word for it. */
  conflict: {
    status: 409,
    code: 'state_conflict',
    message: 'The execution may not use this as things stand; error.issues says why.',
  },
  connectorNotFound: { status: 404, code: 'not_found', message: 'The organization has no connector of this key.' },
  /** The protocol wants it; no other route answers 403. */
  foreignOrigin: {
    status: 403,
    code: 'foreign_origin',
    message: 'Pages of this origin may not call the gateway; send no Origin header.',
  },
  toolNotFound: { status: 404, code: 'not_found', message: 'The connector has no tool of this name.' },
});

export const GatewayIssues = defineIssues({
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
  notCallable: { code: 'not_callable', message: 'The tool is not called here; its bytes go through the Git proxy.' },
});
