import { defineErrors } from '../../kernel/errors/index.ts';

/** Each message is all that a person at a terminal sees. */
export const GitErrors = defineErrors({
  notFound: {
    status: 404,
    code: 'not_found',
    message: 'There is no such repository, or the connector does not reach it.',
  },
  conflict: { status: 409, code: 'state_conflict', message: 'The execution may not do this as things stand.' },
  blocked: {
    status: 409,
    code: 'state_conflict',
    message: 'The organization blocks the domain of the code host.',
  },
  credentialRefused: {
    status: 409,
    code: 'state_conflict',
    message: 'The code host refuses the credential of the connector; an owner can connect it anew.',
  },
  moved: {
    status: 409,
    code: 'state_conflict',
    message: 'The repository has another name by now; use that.',
  },
  otherObjects: {
    status: 409,
    code: 'state_conflict',
    message: 'The repository keeps its objects in another form than SHA-1, which cannot be verified here.',
  },
  unavailable: {
    status: 503,
    code: 'provider_unavailable',
    message: 'The code host does not answer as it should right now; try again later.',
  },
  packTooLarge: {
    status: 413,
    code: 'payload_too_large',
    message: 'the pack is larger than 50 MiB, which is the most that a push may have',
  },
  cannotVerify: {
    status: 503,
    code: 'provider_unavailable',
    message: 'The service has no git of at least 2.30 to verify pushes with, so it takes none; fetches work.',
  },
});
