import { egressFailureOf } from '../../../kernel/egress/index.ts';
import { type FailureCode, ProviderFailure } from '../../integrations/index.ts';
import { failed } from '../wire/index.ts';

type Driver = typeof import('mongodb');

/** By the server's code; every other one is a refusal of what was asked. */
const CODES: ReadonlyMap<number, FailureCode> = new Map([
  [18, 'credential_refused'],
  // The hosted service's own, of logins and of clusters that are gone.
  [8_000, 'credential_refused'],
  [13, 'scope_lost'],
  [26, 'not_found'],
  [462, 'rate_limited'],
  ...[
    6, // HostUnreachable
    7, // HostNotFound
    43, // CursorNotFound
    50, // MaxTimeMSExpired
    89, // NetworkTimeout
    91, // ShutdownInProgress
    133, // FailedToSatisfyReadPreference
    134, // ReadConcernMajorityNotAvailableYet
    189, // PrimarySteppedDown
    237, // CursorKilled
    262, // ExceededTimeLimit
    9_001, // SocketException
    10_107, // NotWritablePrimary
    11_600, // InterruptedAtShutdown
    11_601, // Interrupted
    11_602, // InterruptedDueToReplStateChange
    13_435, // NotPrimaryNoSecondaryOk
    13_436, // NotPrimaryOrSecondary
  ].map((code) => [code, 'unavailable'] as const),
]);
const BAD_VALUE = 2;

/** What an error of the driver means. Its text, which may hold hosts and values, stays here. */
export function failureOf(error: unknown, driver: Driver, hasHint = false): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const failure = egressFailureOf(error);
  if (failure) return failed('unavailable', { sent: failure.sent });
  if (error instanceof driver.MongoServerError) {
    const code = typeof error.code === 'number' ? error.code : 0;
    // The index that was to be used is gone since it was explained.
    if (code === BAD_VALUE && hasHint) return failed('rejected', { reason: 'needs_index' });
    return failed(CODES.get(code) ?? 'rejected');
  }
  return failed(isOfNetwork(error, driver) ? 'unavailable' : 'bad_answer');
}

/** Whether the connections are of no use any more, so that the next call begins with new ones. */
export function isOfNetwork(error: unknown, driver: Driver): boolean {
  return (
    error instanceof driver.MongoNetworkError ||
    error instanceof driver.MongoServerSelectionError ||
    error instanceof driver.MongoTopologyClosedError ||
    error instanceof driver.MongoClientClosedError ||
    error instanceof driver.MongoNotConnectedError ||
    (error instanceof driver.MongoError && error.name.startsWith('MongoWaitQueueTimeout')) ||
    (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
  );
}
