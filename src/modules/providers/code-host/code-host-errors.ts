import type { Failure } from '../../integrations/index.ts';
import { isObject, type ProviderAnswer } from '../wire/index.ts';

/** Seconds to wait where the host says none. */
const UNSAID_SECONDS = 60;

/** What a refusal means where its status alone does not tell: a used-up rate, or a repository that has moved. */
export function refusalOf(answer: ProviderAnswer): Partial<Failure> | undefined {
  const { status } = answer;
  if (status === 301) return { code: 'rejected', reason: 'moved' };
  if (status !== 403 && status !== 429) return undefined;
  const seconds = secondsToWait(answer);
  return seconds === undefined ? undefined : { code: 'rate_limited', retryAfterSeconds: seconds };
}

function secondsToWait({ status, headers, retryAfterSeconds, body }: ProviderAnswer): number | null | undefined {
  if (headers.get('x-ratelimit-remaining') === '0') return secondsUntil(headers.get('x-ratelimit-reset'));
  if (retryAfterSeconds !== null) return retryAfterSeconds;
  const isSecondary =
    isObject(body) && typeof body['message'] === 'string' && body['message'].includes('secondary rate limit');
  if (isSecondary) return UNSAID_SECONDS;
  return status === 429 ? null : undefined;
}

/** The host says it in seconds since 1970. */
function secondsUntil(reset: string | null): number {
  if (reset === null || !/^\d{1,12}$/.test(reset)) return UNSAID_SECONDS;
  return Math.max(1, Math.ceil(Number(reset) - Date.now() / 1_000));
}
