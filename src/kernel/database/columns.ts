import { p, sql, Type } from '@mikro-orm/core';

/** Avoids MikroORM's own types, which use a JavaScript Date and lose the microseconds. */
class TimestampType extends Type<string, string> {
  override getColumnType(): string {
    return 'timestamptz(6)';
  }
}

/** `timestamptz(6)`, held as ISO text with all six digits. */
export const timestamp = () => p.type(TimestampType).$type<string>();

/** The database's time when the statement reads it, for a timestamp of an entity. */
export const DATABASE_NOW = sql`clock_timestamp()` as string;

/** The database's time in the format of the API, for a time inside JSON. */
export const ISO_NOW = `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** One time for all rows and columns of an INSERT; `clock_timestamp()` is read for each and differs by microseconds. */
export const INSERTED_AT = sql`statement_timestamp()` as string;

/** Both set by the database's clock, equal in a new row; every update through an entity sets `updatedAt`. */
export const timestamps = {
  createdAt: timestamp()
    .defaultRaw('statement_timestamp()')
    .onCreate(() => INSERTED_AT),
  updatedAt: timestamp()
    .defaultRaw('statement_timestamp()')
    .onCreate(() => INSERTED_AT)
    .onUpdate(() => DATABASE_NOW),
};
