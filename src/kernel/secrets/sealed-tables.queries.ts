import { type Sql, sql, type Statement } from '../database/index.ts';

/** A table with sealed secrets: it has the columns `key_id` and `wrapped_key`. */
export interface SealedTable {
  readonly name: string;
  /** The columns of its primary key, which together with its name are the context of each secret. */
  readonly key: readonly string[];
}

/** The tables with sealed secrets, as the database knows them. */
export function sealedTables(): Statement<SealedTable> {
  // The casts: the driver hands over an array of type `name` as one string.
  return sql`
    select c.relname as name,
      array(select k.attname::text from pg_index i
            join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey::int2[])
            where i.indrelid = c.oid and i.indisprimary order by array_position(i.indkey::int2[], k.attnum)) as key
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'encryption_key_check'
      and (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname in ('key_id', 'wrapped_key')) = 2
    order by c.relname`;
}

/** Ids of keys, other than these, that secrets of a table are wrapped with. */
export function otherKeys({ name }: SealedTable, ids: readonly string[]): Statement<{ id: string }> {
  return sql`select distinct key_id as id from ${quoted(name)} where key_id <> all(${ids}::text[]) order by key_id limit 10`;
}

export interface WrappedRow {
  /** Values of the primary key, by column. */
  readonly place: Readonly<Record<string, string | number>>;
  readonly keyId: string;
  readonly wrappedKey: Buffer;
}

/** Secrets of a table that another key than this one wraps, behind a place, in the order of the primary key. */
export function wrappedByOthers(
  { name, key }: SealedTable,
  keyId: string,
  behind: WrappedRow['place'] | undefined,
  limit: number,
): Statement<WrappedRow> {
  const columns = sql.join(key.map(quoted), ', ');
  const place = sql.join(
    key.map((column) => sql`${sql.raw(`'${column}'`)}, ${quoted(column)}`),
    ', ',
  );
  const from = behind
    ? sql`and (${columns}) > (${sql.join(
        key.map((column) => sql`${behind[column]!}`),
        ', ',
      )})`
    : sql``;
  return sql`
    select jsonb_build_object(${place}) as place, key_id as "keyId", wrapped_key as "wrappedKey" from ${quoted(name)}
    where key_id <> ${keyId} ${from} order by ${columns} limit ${limit}`;
}

/** Stores what another key wraps, unless the secret was replaced or wrapped by somebody else meanwhile. */
export function storeWrapped(
  { name, key }: SealedTable,
  { place, wrappedKey }: WrappedRow,
  to: { readonly keyId: string; readonly wrappedKey: Buffer },
): Statement {
  const here = key.map((column) => sql`t.${quoted(column)} = ${place[column]!}`);
  return sql`
    update ${quoted(name)} t set key_id = ${to.keyId}, wrapped_key = ${to.wrappedKey}
    where ${sql.join(here, ' and ')} and t.wrapped_key = ${wrappedKey}`;
}

/** Notes what a key encrypts a known text to, unless the key was used before. */
export function noteKey(check: KeyCheck): Statement {
  return sql`
    insert into encryption_key_check (key_id, wrapped_key, sealed)
    values (${check.keyId}, ${check.wrappedKey}, ${check.sealed}) on conflict (key_id) do nothing`;
}

export interface KeyCheck {
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly sealed: Buffer;
}

export function keyChecks(ids: readonly string[]): Statement<KeyCheck> {
  return sql`
    select key_id as "keyId", wrapped_key as "wrappedKey", sealed from encryption_key_check
    where key_id = any(${ids}::text[])`;
}

function quoted(name: string): Sql {
  return sql.raw(`"${name}"`);
}
