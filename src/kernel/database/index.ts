/**
 * Guarantees: a request's statements run inside one of the contexts of `kernel/tenancy`, a read and its context in one
 * round trip; deadlocks and serialization failures are retried a limited number of times; a lent connection comes back
 * or is replaced. The owner's connection serves migrations, partitions, purge and notifications.
 * Refuses: session state on pooled connections, and JavaScript dates.
 */
export { DATABASE_NOW, INSERTED_AT, ISO_NOW, timestamp, timestamps } from './columns.ts';
export { Database } from './database.ts';
export { databaseError } from './database-errors.ts';
export { DatabaseModule } from './database.module.ts';
export { appliedMigrations, EXTENSIONS, knownMigrations, migrate, Migrations } from './migrations.ts';
export { MonthlyPartitions } from './monthly-partitions.ts';
export { poolingOf, requireDirect, requireTransactions } from './pooling.ts';
export { Reads, type RowSets } from './reads.ts';
export { namedUrls, requireSameDatabase, requireUsable, requireVersion, ServerConnection } from './server-checks.ts';
export { backendPid, missingGrants } from './server.queries.ts';
export { columns, type Sql, sql, type Statement, sqlState, SqlState, withAfterCommit } from '../sql/index.ts';
export { type Placed, type Shared, Transactions } from './transactions.ts';
export { type EntityTx, type Execute, type StatementTx, type Tx, untold } from './tx.ts';
