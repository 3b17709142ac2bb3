import { Logger } from '@nestjs/common';
import { ApiError, EdgeErrors } from '../errors/index.ts';

const logger = new Logger('ObjectStore');

/** Seconds after which a client may try again: a store comes back by the operator's hand, or within a moment. */
const RETRY_AFTER = '5';

/**
 * 503 for whatever a store cannot do: it is the operator's trouble, said in the log, and passes; the bytes are sent again
 * then. `what` is a sentence about the store, without a secret.
 */
export function storeTrouble(what: string, cause: unknown): ApiError {
  logger.error(`the object store ${what}: ${(cause as Error).message}`);
  const message = 'The store of bytes is not available right now.';
  const error = new ApiError(EdgeErrors.serviceUnavailable, { message, headers: { 'Retry-After': RETRY_AFTER } });
  return Object.assign(error, { cause });
}
