/**
 * Guarantees: a waiting claim is answered as soon as there is work, oldest first, and holds no database connection
 * until then; a waiting heartbeat is answered as soon as there is something to say, at the cost of one that does not wait;
 * every call under a lease names organization and token in the same way; no lease lapses because of an outage of the
 * service itself. Which workers claim work is written down, about a minute late and at no cost to a claim.
 * Refuses: lease times and heartbeat intervals chosen by a worker.
 */
export { BeatDto, FailureDto, LeaseDto, MAX_CLAIMS, PROFILE_KEYS, PullDto, UsageDto } from './lease.dto.ts';
export { LeaseIssues } from './lease.errors.ts';
export { LeaseMetrics } from './lease.metrics.ts';
export { HEARTBEAT_GAP_MS, heartbeatIntervalMs, silenceMs } from './lease.policy.ts';
export { LeaseWatch } from './lease-watch.entity.ts';
export { isLapsed, isUnlapsed, outageThatEnds } from './lease-watch.queries.ts';
export { LeaseWatcher } from './lease-watcher.ts';
export { LeasesModule } from './leases.module.ts';
export { releasesInARow, restAfter } from './rest.queries.ts';
export { LeaseTokens } from './lease-tokens.ts';
export { type LostCall, type LostLease, LostLeases } from './lost-leases.ts';
export { HeartbeatLine } from './heartbeat-line.ts';
export { WaitingLine } from './waiting-line.ts';
export { Worker } from './worker.entity.ts';
export { WorkerSightings } from './worker-sightings.ts';
