import { ApiError } from '../../../kernel/errors/index.ts';
import { ProviderFailure } from '../../integrations/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { BrokenFraming } from '../protocol/index.ts';
import { type HostAnswer, HostFailure } from './git-host.service.ts';

/** Seconds to wait where the host says none. */
const RETRY_SECONDS = 10;
const MOST_SECONDS = 3_600;

/** The answer, if it is one of the kind that was asked for; its body is dropped otherwise. */
export function requireAnswer(answer: HostAnswer, type: string): HostAnswer {
  if (answer.status === 200 && typeOf(answer) === type) return answer;
  answer.body.destroy();
  throw refusalBy(answer);
}

function typeOf({ contentType }: HostAnswer): string {
  return contentType.split(';')[0]!.trim().toLowerCase();
}

function refusalBy({ status, retryAfter }: HostAnswer): ApiError {
  if (status === 401 || status === 403) return new ApiError(GitErrors.credentialRefused);
  if (status === 404) return new ApiError(GitErrors.notFound);
  if (status >= 300 && status < 400) return new ApiError(GitErrors.moved);
  return unavailable(retryAfter);
}

/**
 * What a client is told of a host that did not answer, gave no token, or answered what Git cannot read; anything else comes
 * back as it is.
 */
export function asRefusal(error: unknown): unknown {
  if (error instanceof HostFailure)
    return error.why === 'blocked' ? new ApiError(GitErrors.blocked) : unavailable(null);
  if (error instanceof BrokenFraming) return unavailable(null);
  if (!(error instanceof ProviderFailure)) return error;
  const { code, retryAfterSeconds } = error.failure;
  if (code === 'credential_refused' || code === 'scope_lost' || code === 'rejected')
    return new ApiError(GitErrors.credentialRefused);
  if (code === 'not_found') return new ApiError(GitErrors.notFound);
  return unavailable(retryAfterSeconds === null ? null : String(Math.ceil(retryAfterSeconds)));
}

function unavailable(retryAfter: string | null): ApiError {
  const given = retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : RETRY_SECONDS;
  const seconds = Math.min(Math.max(given, 1), MOST_SECONDS);
  return new ApiError(GitErrors.unavailable, { headers: { 'retry-after': String(seconds) } });
}
