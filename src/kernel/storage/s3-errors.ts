import { ConfigError } from '../../config/index.ts';
import { storeTrouble } from './store-trouble.ts';

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

/** Of an object or an upload that is not there; a HEAD has no body that could say more. */
const ABSENT = new Set(['NoSuchKey', 'NoSuchUpload', 'NotFound']);

/**
 * Waits for an answer of the store. That it has none, is overloaded, broken or full, lacks the bucket or refuses the access
 * key, is the operator's trouble and passes, whichever status it has for it (400 for a token that expired). Only a range
 * that cannot be had is a mistake of ours.
 */
export async function answerOf<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const { name, $metadata } = error as Failure;
    if (ABSENT.has(name) || $metadata?.httpStatusCode === 416) throw error;
    throw storeTrouble('does not answer as it should', error);
  }
}

/** Undefined where there is nothing of that name. */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (ABSENT.has((error as Failure).name)) return undefined;
    throw error;
  }
}
