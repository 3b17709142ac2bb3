import { type PolicyDef, p, sql, Type } from '@mikro-orm/core';
import { Roles } from './roles.ts';

/** MikroORM's own types would go through a JavaScript Date and lose the microseconds. */
class TimestampType extends Type<string, string> {
  override getColumnType(): string {
    return 'timestamptz(6)';
  }
}

/** `timestamptz(6)`, held as ISO text with all six digits. */
export const timestamp = () => p.type(TimestampType).$type<string>();

/** The database's own time at the moment of the statement, for a timestamp of an entity. */
export const DATABASE_NOW = sql`clock_timestamp()` as string;

/** The database's own time as the API writes it, for a time inside of JSON. */
export const ISO_NOW = `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** One time for all rows and columns of an INSERT; `clock_timestamp()` is read for each and differs by microseconds. */
export const INSERTED_AT = sql`statement_timestamp()` as string;

/** Both set by the database's own clock, alike in a new row; `updatedAt` by every update that goes through an entity. */
export const timestamps = {
  createdAt: timestamp()
    .defaultRaw('statement_timestamp()')
    .onCreate(() => INSERTED_AT),
  updatedAt: timestamp()
    .defaultRaw('statement_timestamp()')
    .onCreate(() => INSERTED_AT)
    .onUpdate(() => DATABASE_NOW),
};

/** The organization that the transaction has entered. `nullif`, since a session that once had a value keeps an empty one. */
export const ENTERED = `nullif(current_setting('app.org', true), '')::uuid`;
/** The subject on whose behalf the transaction runs. */
export const SUBJECT = `current_setting('app.subject', true)`;

interface Access {
  /** Rows that the application role may read and write. */
  readonly app?: string;
  /** Rows that it may read beyond those. */
  readonly appReads?: string;
  /** Whether the dispatch role reaches the table at all; grants say which columns. */
  readonly dispatch?: boolean;
}

/** Row-level security of one table: named policies for the three roles. */
export function policies({ app, appReads, dispatch }: Access): PolicyDef[] {
  return [
    { name: 'owner_all', roles: [Roles.owner], using: 'true', check: 'true' },
    ...(app ? [{ name: 'app_rows', roles: [Roles.app], using: app, check: app }] : []),
    ...(appReads ? [{ name: 'app_reads', command: 'select' as const, roles: [Roles.app], using: appReads }] : []),
    ...(dispatch ? [{ name: 'dispatch_rows', roles: [Roles.dispatch], using: 'true', check: 'true' }] : []),
  ];
}

/** Row-level security of a table that belongs to organizations. */
export function tenantPolicies(access: Omit<Access, 'app'> = {}): PolicyDef[] {
  return policies({ app: `organization_id = ${ENTERED}`, ...access });
}
