import type { ErrorRow } from '../../kernel/errors/index.ts';
import type { EndpointSpec } from '../../kernel/http/index.ts';
import { REFUSALS } from '../gateway/index.ts';
import { GitErrors } from './git-proxy.errors.ts';

type ExecutionsAllowed = NonNullable<EndpointSpec['execution']>;

/** Runs of the department whose work is in repositories; those that verify read what others did, elsewhere. */
export const ENGINEERS: ExecutionsAllowed = {
  kinds: ['task_run'],
  departments: ['engineering'],
  modes: ['plan', 'execute'],
};

export const PUSHING_ENGINEERS: ExecutionsAllowed = { ...ENGINEERS, modes: ['execute'] };

/** What each of the routes may answer instead, for the documents. */
export const REFUSED: readonly ErrorRow[] = [
  REFUSALS,
  GitErrors.credentialRefused,
  GitErrors.moved,
  GitErrors.unavailable,
];
