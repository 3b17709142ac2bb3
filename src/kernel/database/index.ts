/**
 * Guarantees: a request's statements run in one of three contexts (one organization, one subject, across organizations)
 * with its own role under row-level security; deadlocks and serialization failures are retried a bounded number of times.
 * The owner's connection serves migrations, partitions, purge and notifications.
 * Refuses: session state on pooled connections, and JavaScript dates.
 */
export { activeEntry, BOOTSTRAP, confirmedEntry, type Entry, standingEntry } from './contexts.ts';
export {
  DATABASE_NOW,
  ENTERED,
  INSERTED_AT,
  ISO_NOW,
  policies,
  SUBJECT,
  tenantPolicies,
  timestamp,
  timestamps,
} from './columns.ts';
export { Database } from './database.ts';
export { databaseError } from './database-errors.ts';
export { inBackground, type Lane, outsideJobs } from './lanes.ts';
export { DatabaseModule } from './database.module.ts';
export { migrate, Migrations } from './migrations.ts';
export { MonthlyPartitions } from './monthly-partitions.ts';
export { Reads } from './reads.ts';
export { columns, type Statement, statement, Values } from './statement.ts';
export { sqlState, SqlState } from './sql-state.ts';
export { type EntityTx, type Placed, type Run, type Shared, Transactions, type Tx } from './transactions.ts';
