import { ApiError, EdgeErrors, type ErrorRow } from '../errors/index.ts';
import { sqlState, SqlState } from '../sql/index.ts';

/**
 * Errors of a server that is away, overloaded, gave up on the statement, or refuses the login while its password is being
 * replaced; the same call may succeed in a moment.
 */
const PASSING = /^(08...|25006|25P0[34]|28000|28P01|40001|40P01|53...|55P03|57014|57P0.)$/;
const LOST_CONNECTION = /^(EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly cause: unknown;
}

/**
 * Answers `gone` for a write that fails on a missing reference because its organization was purged meanwhile. The call
 * knows what is gone; which constraint failed does not matter.
 */
export function referenceMissing(gone: ErrorRow): (error: unknown) => never {
  return (error) => {
    throw sqlState(error) === SqlState.foreignKeyViolation ? new ApiError(gone) : error;
  };
}

/** The answer to a database error; undefined for one that only a bug of ours can cause. */
export function databaseError(error: unknown): ApiError | undefined {
  const { code, message, cause } = (error ?? {}) as { [Part in keyof Failure]?: unknown };
  // Checks its shape and not its class: in tests, which run in a separate context, network errors belong to another
  // realm.
  if (typeof message !== 'string') return undefined;
  const isPassing =
    typeof code === 'string'
      ? PASSING.test(code) || LOST_CONNECTION.test(code)
      : /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Client was closed|Client has encountered a connection error)/.test(
          message,
        );
  if (isPassing) return new ApiError(EdgeErrors.serviceUnavailable, { headers: { 'Retry-After': '1' } });
  return databaseError(cause);
}
