import { type Failure, type FailureCode, ProviderFailure } from '../../integrations/index.ts';
import type { ProviderAnswer } from './provider-request.ts';

/** What an answer that is no success means; undefined where the table of statuses says it. */
export type Classify = (answer: ProviderAnswer) => Partial<Failure> | undefined;

/** A failure of ours to throw. What it does not name is unknown, and may have left. */
export function failed(code: FailureCode, more: Partial<Omit<Failure, 'code'>> = {}): ProviderFailure {
  return new ProviderFailure({ code, status: null, retryAfterSeconds: null, sent: true, ...more });
}

/** What a status means where a provider says nothing more exact. */
export function failureOfStatus({ status, retryAfterSeconds }: ProviderAnswer): Failure {
  return { code: codeOf(status), status, retryAfterSeconds, sent: true };
}

function codeOf(status: number): FailureCode {
  if (status === 401) return 'credential_refused';
  if (status === 403) return 'scope_lost';
  if (status === 404) return 'not_found';
  if (status === 429 || status === 420) return 'rate_limited';
  if (status === 408 || status >= 500) return 'unavailable';
  return status >= 400 ? 'rejected' : 'bad_answer';
}

/** What an answer must have; without it the whole of it is of no use. */
export function requireShape(isAsExpected: boolean, { status }: { readonly status: number }): asserts isAsExpected {
  if (!isAsExpected) throw failed('bad_answer', { status });
}
