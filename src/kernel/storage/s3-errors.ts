import { Logger } from '@nestjs/common';
import { ConfigError } from '../../config/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';

const logger = new Logger('ObjectStore');

/** What the client throws: an answer of the store, or that there was none. */
interface Failure {
  readonly name: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Which setting is wrong when the first request is refused so, and what to say of it. */
const REFUSALS: Readonly<Record<string, readonly [setting: string, problem: string]>> = {
  NoSuchBucket: ['BUCKET', 'there is no such bucket'],
  AccessDenied: ['BUCKET', 'may not be written to as the access key that is used'],
  InvalidAccessKeyId: ['ACCESS_KEY_ID', 'is not known to the store'],
  SignatureDoesNotMatch: ['SECRET_ACCESS_KEY', 'does not belong to the access key'],
  CredentialsProviderError: ['ACCESS_KEY_ID', 'is not set, and this machine has no credentials of its own'],
  PermanentRedirect: ['REGION', 'is not that of the bucket'],
  AuthorizationHeaderMalformed: ['REGION', 'is not that of the bucket'],
};

/** Says of the first request that failed which setting to look at. */
export function startRefusal(error: unknown, endpoint: string | undefined): ConfigError {
  const { name, code = name, $metadata } = ((error as Error).cause ?? error) as Failure;
  const where = endpoint === undefined ? 'REGION' : 'ENDPOINT';
  const status = $metadata?.httpStatusCode;
  const answer = status === undefined ? `gives no answer (${code})` : `gives an answer of no use (${status} ${code})`;
  const [setting, problem] = REFUSALS[name] ?? [where, answer];
  return new ConfigError(`OBJECT_STORE_S3_${setting}`, problem);
}

/** Waits for an answer of the store. That it has none, or is overloaded or broken, is the operator's trouble and passes. */
export async function answerOf<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const status = (error as Failure).$metadata?.httpStatusCode;
    if (status !== undefined && status < 500 && status !== 429) throw error;
    logger.error(`the object store does not answer: ${(error as Error).message}`);
    throw Object.assign(new ApiError(EdgeErrors.serviceUnavailable), { cause: error });
  }
}

/** Undefined where there is nothing of that name. */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    // A HEAD has no body that could say more.
    if (['NoSuchKey', 'NoSuchUpload', 'NotFound'].includes((error as Failure).name)) return undefined;
    throw error;
  }
}
