import { ApiError, invalid, issueAt } from '../../kernel/errors/index.ts';
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

/** What an owner has to do about some refusals. */
const SENTENCES: Readonly<Record<string, string>> = {
  may_write: 'may write at the provider: give one that only reads',
};

/** The fields of a request that hold what a provider was given now: the credential, and all else. */
export interface GivenFields {
  readonly credential?: string;
  readonly other?: string;
}

/**
 * What an owner is told when a provider fails: a refusal is about the field that was given, and a refused credential that was
 * not given is the stored one. Anything else than a provider's failure comes back as it is.
 */
export function ownerAnswerTo(error: unknown, given: GivenFields = {}): unknown {
  if (!(error instanceof ProviderFailure)) return error;
  const { code, retryAfterSeconds, reason } = error.failure;
  const field = OF_CREDENTIAL.has(code) ? given.credential : given.other;
  if (REFUSALS.has(code) && field !== undefined && reason === 'needs_index')
    return invalid(field, IntegrationIssues.needsIndex);
  if (REFUSALS.has(code) && field !== undefined)
    return invalid(field, IntegrationIssues.providerRejected, SENTENCES[reason ?? '']);
  if (OF_CREDENTIAL.has(code)) return conflict(IntegrationIssues.credentialRefused);
  const seconds = Math.min(Math.max(Math.ceil(retryAfterSeconds ?? RETRY_SECONDS.unsaid), 1), RETRY_SECONDS.most);
  return new ApiError(IntegrationErrors.providerUnavailable, { headers: { 'retry-after': String(seconds) } });
}

/** Whether a provider refused what it was asked for, so that asking again changes nothing. */
export function isRefusal(error: unknown): error is ProviderFailure {
  return error instanceof ProviderFailure && REFUSALS.has(error.failure.code);
}

/** What a failed question says of a connector: the part that it is of, and why it failed. */
export interface FailedSighting {
  /** `credential`, `tools` or `resource:<id>`. */
  readonly scope: string;
  readonly code: ObservationCode;
  /** Scopes that the provider named as missing. */
  readonly requiredScopes?: readonly string[];
}

/** Undefined of what says nothing of the connector. Of providers that list their tools, only a credential is told apart. */
export function failedSighting(error: unknown, hasDiscoveredTools: boolean): FailedSighting | undefined {
  const other = hasDiscoveredTools ? 'tools' : 'credential';
  if (error instanceof ProviderFailure) {
    const { code, requiredScopes, resource } = error.failure;
    if (code === 'out_of_scope') return undefined;
    if (resource !== undefined) return { scope: `resource:${resource}`, code };
    const scopes = requiredScopes === undefined ? {} : { requiredScopes };
    return { scope: OF_CREDENTIAL.has(code) ? 'credential' : other, code, ...scopes };
  }
  if (error instanceof UnreadableCredential) return { scope: 'credential', code: 'credential_unreadable' };
  if (!(error instanceof ApiError)) return undefined;
  if (error.row === IntegrationErrors.providerUnavailable) return { scope: 'credential', code: 'unavailable' };
  const isLost = error.issues?.[0]?.code === IntegrationIssues.needsCredentials.code;
  return isLost ? { scope: 'credential', code: 'reauthorization_required' } : undefined;
}

/** The stored credential does not open with the deployment's keys: nobody is asked with it. */
export class UnreadableCredential extends ApiError {
  constructor() {
    const { needsCredentials } = IntegrationIssues;
    super(IntegrationErrors.conflict, {
      message: needsCredentials.message,
      issues: [issueAt('', needsCredentials)],
    });
  }
}
