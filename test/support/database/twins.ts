import { randomUUID } from 'node:crypto';
import type { TestApp } from '../test-app.ts';

/** Tables that an organization's rows stand in, under keys that name it, but not the parts of partitioned ones. */
const TABLES = `select c.relname as name from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and a.attnum = any(i.indkey))
  order by c.relname`;

async function tables(app: TestApp): Promise<string[]> {
  const { rows } = await app.db.query<{ name: string }>(TABLES);
  return rows.map(({ name }) => name);
}

/** A copy of an organization and all of its rows, which have the same ids and times there. Answers its id. */
export async function twinOf(app: TestApp, organizationId: string): Promise<string> {
  const twin = randomUUID();
  const copy = (table: string, of: string, changed: string) =>
    `insert into ${table} select (jsonb_populate_record(x, jsonb_build_object(${changed}))).* from ${table} x where x.${of} = $1`;
  const client = await app.db.connect();
  try {
    await client.query('begin');
    // In any order: foreign keys are those of the original.
    await client.query('set local session_replication_role = replica');
    await client.query(copy('organization', 'id', `'id', $2::uuid, 'slug', $2::text`), [organizationId, twin]);
    for (const table of await tables(app))
      await client.query(copy(table, 'organization_id', `'organization_id', $2::uuid`), [organizationId, twin]);
    await client.query('commit');
  } finally {
    client.release();
  }
  return twin;
}

export type Rows = Readonly<Record<string, readonly unknown[]>>;

/** All rows of an organization by their tables, in an order that no plan changes, without what tells a twin apart. */
export async function rowsOfOrganization(app: TestApp, organizationId: string): Promise<Rows> {
  const found: Record<string, unknown[]> = {};
  const add = async (table: string, of: string, less: string) => {
    const { rows } = await app.db.query<{ row: unknown }>(
      `select to_jsonb(x) - '${of}' ${less} as row from ${table} x where x.${of} = $1 order by 1`,
      [organizationId],
    );
    found[table] = rows.map(({ row }) => row);
  };
  await add('organization', 'id', `- 'slug'`);
  for (const table of await tables(app)) await add(table, 'organization_id', '');
  return found;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** The rows with a mark for each id and time that did not stand in those before, in an order of their own. */
export function withoutNewIdsAndTimes(rows: Rows, before: Rows): Rows {
  const known = JSON.stringify(before);
  const marked = (value: unknown): unknown => {
    if (typeof value !== 'string' || known.includes(JSON.stringify(value))) return value;
    if (ID.test(value)) return '<new id>';
    return TIME.test(value) ? '<new time>' : value;
  };
  // Each call is a transaction of its own.
  const text = (row: unknown) =>
    JSON.stringify(row, (key, value: unknown) => (key === 'written_in' ? undefined : marked(value)));
  return Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [
      table,
      list
        .map(text)
        .toSorted()
        .map((row) => JSON.parse(row) as unknown),
    ]),
  );
}
