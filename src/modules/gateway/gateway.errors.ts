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
  notCallable: { code: 'not_callable', message: 'The tool is not called here; its bytes go through the Git proxy.' },
});
