/**
 * Guarantees: a claim that waits is answered as soon as there is work, oldest first, and holds no connection until then;
 * every call under a lease names organization and token alike.
 * Refuses: leases and heartbeats of a worker's own choice.
 */
export { FailureDto, LeaseDto, MAX_CLAIMS, PROFILE_KEYS, PullDto, UsageDto } from './lease.dto.ts';
export { BEAT_REST_MS, heartbeatIntervalMs, silenceMs } from './lease.policy.ts';
export { releasesInARow, restAfter } from './rest.ts';
export { LeaseTokens } from './lease-tokens.ts';
export { WaitingLine } from './waiting-line.ts';
