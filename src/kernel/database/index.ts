/**
 * Guarantees: every statement runs in one of three contexts (one organization, one subject, across organizations) with
 * its own role under row-level security; deadlocks and serialization failures are retried a bounded number of times.
 * Refuses: session state on pooled connections, JavaScript dates, and a query outside a context.
 */
export { BOOTSTRAP } from './contexts.ts';
export { DATABASE_NOW, ENTERED, policies, SUBJECT, tenantPolicies, timestamp, timestamps } from './columns.ts';
export { Database } from './database.ts';
export { databaseError } from './database-errors.ts';
export { DatabaseModule } from './database.module.ts';
export { migrate, Migrations } from './migrations.ts';
export { MonthlyPartitions } from './monthly-partitions.ts';
export { OrganizationNotFound } from './organization-not-found.ts';
export { Reads } from './reads.ts';
export { RolesMissing } from './roles.ts';
export { columns, type Statement, statement, Values } from './statement.ts';
export { sqlState, Transactions, type Tx } from './transactions.ts';
