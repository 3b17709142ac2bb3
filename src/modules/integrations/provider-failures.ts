import { ApiError, invalid } from '../../kernel/errors/index.ts';
import { conflict, IntegrationErrors, IntegrationIssues } from './integration.errors.ts';
import type { ObservationCode } from './integration.state.ts';
import { type FailureCode, ProviderFailure } from './provider-adapters.port.ts';

/** Seconds to wait where the provider says none, and the most that are passed on. */
const RETRY_SECONDS = { unsaid: 5, most: 3_600 };

/** With which the provider says that it is asked the wrong way or for the wrong thing, not that it fails. */
const REFUSALS: ReadonlySet<FailureCode> = new Set([
  'out_of_scope',
  'not_found',
  'rejected',
  'credential_refused',
  'scope_lost',
]);
const OF_CREDENTIAL: ReadonlySet<FailureCode> = new Set(['credential_refused', 'scope_lost']);

/**
 * What an owner is told when a provider fails. `given` is the field that holds what the provider was given now; null where it
 * was asked with what is stored. Anything else than a provider's failure comes back as it is.
 */
export function ownerAnswerTo(error: unknown, given: string | null): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const { code, retryAfterSeconds } = error.failure;
  if (REFUSALS.has(code)) {
    if (given !== null) return invalid(given, IntegrationIssues.providerRejected);
    if (OF_CREDENTIAL.has(code)) return conflict(IntegrationIssues.credentialRefused);
  }
  const seconds = Math.min(Math.max(Math.ceil(retryAfterSeconds ?? RETRY_SECONDS.unsaid), 1), RETRY_SECONDS.most);
  return new ApiError(IntegrationErrors.providerUnavailable, { headers: { 'retry-after': String(seconds) } });
}

/** Whether a provider refused what it was asked for, so that asking again changes nothing. */
export function isRefusal(error: unknown): error is ProviderFailure {
  return error instanceof ProviderFailure && REFUSALS.has(error.failure.code);
}

/** What a failure says of a connector's health; undefined where it only says something of the request. */
export function observationCodeOf(error: unknown): ObservationCode | undefined {
  if (error instanceof ProviderFailure) return codeOf(error.failure.code);
  if (!(error instanceof ApiError)) return undefined;
  if (error.row === IntegrationErrors.providerUnavailable) return 'unavailable';
  const [issue] = error.issues ?? [];
  return issue?.code === IntegrationIssues.needsCredentials.code ? 'reauthorization_required' : undefined;
}

function codeOf(code: FailureCode): ObservationCode | undefined {
  return code === 'out_of_scope' || code === 'not_found' || code === 'rejected' ? undefined : code;
}
