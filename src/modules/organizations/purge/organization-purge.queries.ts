import { sql, type Statement } from '../../../kernel/database/index.ts';

/** Organizations that were marked, the one that has waited longest first. */
export function deletedOrganizations(limit: number): Statement<{ id: string }> {
  return sql`select id from organization where status = 'deleting' order by updated_at limit ${limit}`;
}

/** A table with rows of organizations. */
export interface OwnedTable {
  readonly name: string;
  /** The tables that its foreign keys name, itself aside. */
  readonly references: readonly string[];
  /** The columns of its primary key. */
  readonly key: readonly string[];
}

/** Every table with an `organization_id`, as the database knows them; without the keys of idempotency, which stay used. */
export function ownedTables(): Statement<OwnedTable> {
  // The casts: the driver hands over an array of type `name` as one string.
  return sql`
    select c.relname as name,
      array(select p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
            where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as references,
      array(select k.attname::text from pg_index i
            join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey::int2[])
            where i.indrelid = c.oid and i.indisprimary order by array_position(i.indkey::int2[], k.attnum)) as key
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'idempotency_key'
    order by c.relname`;
}

/**
 * Removes up to `batch` rows of an organization from a table; answers a row for each. The limit is in the text: a plan that
 * does not know it expects a tenth of the table and walks all of it for each batch.
 */
export function removeRows({ name, key }: OwnedTable, organizationId: string, batch: number): Statement {
  const organization = sql.value(organizationId);
  const [table, columns] = [sql.raw(`"${name}"`), sql.raw(key.map((column) => `"${column}"`).join(', '))];
  const same = sql.raw(key.map((column) => `t."${column}" = gone."${column}"`).join(' and '));
  return sql`
    delete from ${table} t
    using (select ${columns} from ${table} where organization_id = ${organization} limit ${sql.raw(String(batch))}) gone
    where t.organization_id = ${organization} and ${same}
    returning 1`;
}

/** Forgets the answers that were kept for replays: they tell of the organization too. Their keys stay used. */
export function forgetAnswers(organizationId: string): Statement {
  return sql`update idempotency_key set answer = null where organization_id = ${organizationId} and answer is not null`;
}

export function removeOrganization(organizationId: string): Statement {
  return sql`delete from organization where id = ${organizationId}`;
}
