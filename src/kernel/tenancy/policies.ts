import type { PolicyDef } from '@mikro-orm/core';
import { Roles } from './roles.ts';

/**
 * The organization that the transaction has entered. Uses `nullif`, because a session that once had a value keeps an
 * empty one.
 */
export const ENTERED = `nullif(current_setting('app.org', true), '')::uuid`;
/** The subject on whose behalf the transaction runs. */
export const SUBJECT = `current_setting('app.subject', true)`;

interface RowAccess {
  /** Rows that the application role may read and write. */
  readonly app?: string;
  /** Further rows that it may read. */
  readonly appReads?: string;
  /** Whether the dispatch role may use the table at all; grants decide which columns. */
  readonly dispatch?: boolean;
}

/** Row-level security of one table: named policies for the three roles. */
export function policies({ app, appReads, dispatch }: RowAccess): PolicyDef[] {
  return [
    { name: 'owner_all', roles: [Roles.owner], using: 'true', check: 'true' },
    ...(app ? [{ name: 'app_rows', roles: [Roles.app], using: app, check: app }] : []),
    ...(appReads ? [{ name: 'app_reads', command: 'select' as const, roles: [Roles.app], using: appReads }] : []),
    ...(dispatch ? [{ name: 'dispatch_rows', roles: [Roles.dispatch], using: 'true', check: 'true' }] : []),
  ];
}

/** Row-level security of a table that belongs to organizations. */
export function tenantPolicies(access: Omit<RowAccess, 'app'> = {}): PolicyDef[] {
  return policies({ app: `organization_id = ${ENTERED}`, ...access });
}
