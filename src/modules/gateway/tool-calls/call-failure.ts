import { ApiError } from '../../../kernel/errors/index.ts';
import type { Prepared } from '../../actions/index.ts';
import { type Failure, IntegrationErrors, ProviderFailure } from '../../integrations/index.ts';
import type { CallErrorDto } from './gateway.dto.ts';

/** Why a provider did not do what was asked, in our words. */
const MESSAGES: Readonly<Record<string, string>> = {
  not_found: 'The provider has no such thing in the scope of this connector.',
  out_of_scope: 'This lies outside the scope of this connector.',
  provider_rejected: 'The provider refuses the call as it is.',
  needs_index: 'The provider has no index that serves this; ask for something else.',
  input_required: 'The provider wants to ask a person something, which runs cannot answer.',
  credential_refused: 'The provider refuses the credential of the connector; an owner can connect it anew.',
  scope_lost: 'The credential of the connector may not do this at the provider.',
  daily_quota_exceeded: 'The provider sends no more for this account today.',
  monthly_quota_exceeded: 'The provider sends no more for this account this month.',
  rate_limited: 'Too many calls right now; call again later.',
  unavailable: 'The provider does not answer right now.',
  bad_answer: 'The provider’s answer is not one that can be read.',
  result_too_large: 'The provider’s answer is larger than what is read; ask for less.',
};

const RETRYABLE: ReadonlySet<string> = new Set(['rate_limited', 'unavailable']);

export function callError(code: string, details: Partial<CallErrorDto> = {}): CallErrorDto {
  return {
    code,
    message: MESSAGES[code] ?? 'The provider did not do this.',
    providerStatus: null,
    retryable: RETRYABLE.has(code),
    retryAfterSeconds: null,
    ...details,
  };
}

/** What the caller is told of a failure of the provider; undefined for any other error. */
export function failureOf(error: unknown): CallErrorDto | undefined {
  if (error instanceof ProviderFailure) return errorOf(error.failure);
  // A token could not be refreshed just now.
  const isUnavailable = error instanceof ApiError && error.row === IntegrationErrors.providerUnavailable;
  return isUnavailable ? callError('unavailable') : undefined;
}

function errorOf({ code, status, retryAfterSeconds, reason }: Failure): CallErrorDto {
  const word = reason !== undefined && reason in MESSAGES ? reason : code === 'rejected' ? 'provider_rejected' : code;
  const seconds = retryAfterSeconds === null ? null : Math.max(1, Math.ceil(retryAfterSeconds));
  return callError(word, { providerStatus: status, retryAfterSeconds: seconds });
}

export function messageOf(code: string): string {
  return MESSAGES[code] ?? 'The provider did not do this.';
}

/** What a failed preparation means, of which nothing was sent; undefined of a fault of ours. */
export function unprepared(error: unknown): Exclude<Prepared<never>, { kind: 'ready' | 'done' }> | undefined {
  const failure = failureOf(error);
  if (failure?.retryable) return { kind: 'later', reason: `${failure.code}: ${failure.message}` };
  if (failure) {
    const { code, message, providerStatus } = failure;
    return { kind: 'refused', error: { code, message, ...(providerStatus === null ? {} : { providerStatus }) } };
  }
  if (!(error instanceof ApiError)) return undefined;
  return { kind: 'refused', error: { code: error.issues?.[0]?.code ?? error.row.code, message: error.message } };
}
