import { ConfigError } from '../../config/index.ts';
import { storeTrouble } from './store-trouble.ts';

/** What the client throws: an error answer of the store, or a failure to get an answer. */
interface Failure {
  readonly name: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The setting that is wrong and the message, by the error of the first request. */
const REFUSALS: Readonly<Record<string, readonly [setting: string, problem: string]>> = {
  NoSuchBucket: ['BUCKET', 'names a bucket that does not exist; create it'],
  AccessDenied: ['BUCKET', 'may not be written to with the access key that is used; grant it write access'],
  InvalidAccessKeyId: ['ACCESS_KEY_ID', 'is not known to the store'],
  SignatureDoesNotMatch: ['SECRET_ACCESS_KEY', 'does not belong to the access key'],
  CredentialsProviderError: ['ACCESS_KEY_ID', 'is required, because this machine has no credentials of its own'],
  PermanentRedirect: ['REGION', 'is not the region of the bucket'],
  AuthorizationHeaderMalformed: ['REGION', 'is not the region of the bucket'],
};

/** Makes the error of a failed request, which names the setting to correct. */
export function startRefusal(error: unknown, endpoint: string | undefined): ConfigError {
  const { name, code = name, $metadata } = ((error as Error).cause ?? error) as Failure;
  const where = endpoint === undefined ? 'REGION' : 'ENDPOINT';
  const status = $metadata?.httpStatusCode;
  if (name === 'AbortError') return new ConfigError(`OBJECT_STORE_S3_${where}`, 'does not answer');
  const answer =
    status === undefined ? `cannot be reached (${code})` : `gives an unexpected answer (${status} ${code})`;
  const [setting, problem] = REFUSALS[name] ?? [where, answer];
  return new ConfigError(`OBJECT_STORE_S3_${setting}`, problem);
}

/** Names of the errors for a missing object or upload; `NotFound` is that of a HEAD, whose answer has no body. */
const ABSENT = new Set(['NoSuchKey', 'NoSuchUpload', 'NotFound']);

/**
 * Waits for an answer of the store. Turns failures that an operator must solve into a passing 503, whatever their
 * status: no answer, an overloaded, broken or full store, a missing bucket, a refused access key (400 for an expired
 * token). Only an unsatisfiable range (416) is a bug of ours.
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

/** Returns undefined if nothing has that name. */
export async function unlessAbsent<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (ABSENT.has((error as Failure).name)) return undefined;
    throw error;
  }
}
