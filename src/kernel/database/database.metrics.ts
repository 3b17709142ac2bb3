import type { Lane } from '../admission/index.ts';
import { defineMetrics } from '../metrics/index.ts';

/** Written out, because scripts read this file unbuilt. */
const LANES = ['urgent', 'ordinary', 'background'] as const satisfies readonly Lane[];
/** The lanes, and the connections beside them: of the tables' owner, for notifications, for health checks. */
const POOLS = [...LANES, 'owner', 'notices', 'probe'] as const;
export type PoolName = (typeof POOLS)[number];

export const DatabaseMetrics = defineMetrics({
  connections: {
    kind: 'gauge',
    name: 'database_connections',
    help: 'Connections of this process to the database.',
    labels: { pool: POOLS, state: ['in_use', 'idle'] },
  },
  size: {
    kind: 'gauge',
    name: 'database_connections_max',
    help: 'Connections that this process may open to the database; DATABASE_POOL_SIZE sets their number.',
    labels: { pool: POOLS },
  },
  waiting: {
    kind: 'gauge',
    name: 'database_calls_waiting',
    help: 'Calls of this process that wait for a connection.',
    labels: { pool: LANES },
  },
  wait: {
    kind: 'histogram',
    name: 'database_wait_seconds',
    help: 'Seconds that calls waited for a connection; only of those that had to wait.',
    labels: { pool: LANES },
    buckets: [0.01, 0.1, 1, 5],
  },
  refused: {
    kind: 'counter',
    name: 'database_calls_refused_total',
    help: 'Calls that were answered 503 because too many waited for a connection, or because they waited too long.',
    labels: { pool: LANES },
  },
  lent: {
    kind: 'histogram',
    name: 'database_transaction_seconds',
    help: 'Seconds for which a transaction held its connection: what the database and the network took, and the work in between.',
    labels: { pool: LANES },
    buckets: [0.002, 0.01, 0.05, 0.25, 1, 5],
  },
});
