/** The interval of heartbeats: a third of a lease, so that two lost heartbeats do no harm. */
export function heartbeatIntervalMs(leaseSeconds: number): number {
  return Math.floor((leaseSeconds * 1_000) / 3);
}

/** How long after its last call a worker counts as gone when another process with its name claims. */
export function silenceMs(leaseSeconds: number): number {
  return Math.ceil(1.5 * heartbeatIntervalMs(leaseSeconds));
}

/**
 * Heartbeats that come one by one share a transaction each so often. No caller waits for their answer, and each for itself
 * they cost the database five times as much (measured with 667 a second).
 */
export const HEARTBEAT_GAP_MS = 25;
