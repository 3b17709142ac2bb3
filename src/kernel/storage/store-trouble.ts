import { Logger } from '@nestjs/common';
import { ApiError, EdgeErrors } from '../errors/index.ts';

const logger = new Logger('ObjectStore');

/** Seconds after which a client may try again. */
const RETRY_AFTER = '5';

/**
 * Logs a failure of the store for the operator and makes a 503, after which the client sends the bytes again. `what`
 * completes "the object store …" and holds no secret.
 */
export function storeTrouble(what: string, cause: unknown): ApiError {
  logger.error(`the object store ${what}: ${(cause as Error).message}`);
  const message = 'The object store is not available right now; try again later.';
  const error = new ApiError(EdgeErrors.serviceUnavailable, { message, headers: { 'Retry-After': RETRY_AFTER } });
  return Object.assign(error, { cause });
}
