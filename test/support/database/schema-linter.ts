import type pg from 'pg';

/** A table as the catalog of the database describes it. Partitions are part of their table. */
export interface Table {
  readonly name: string;
  /** Columns in the order of the key; empty without one. */
  readonly primaryKey: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Columns that a CHECK constraint mentions. */
  readonly checked: readonly string[];
  readonly forcesRowSecurity: boolean;
  readonly policies: readonly { readonly name: string; readonly roles: readonly string[] }[];
}

interface ForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly references: string;
  readonly referencedColumns: readonly string[];
  readonly onDelete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default';
}

export interface Lint {
  /** One sentence a finding, starting with the table. */
  readonly findings: readonly string[];
  /** `N of M tables distributable by organization`, global ones aside. */
  readonly summary: string;
}

/** The table that all others hang from. */
const ROOT = 'organization';
const KEY = 'organization_id';

/** Exceptions by table, each with its reason. */
export interface Allowed {
  /** Those that belong to no organization. */
  readonly globals: Readonly<Record<string, string>>;
  /** Those of an organization whose rows are kept to it by other means than a foreign key. */
  readonly unreferenced: Readonly<Record<string, string>>;
}

/** What keeps a schema from being sharded by organization, or from standing behind row-level security. */
export function lintSchema(tables: readonly Table[], allowed: Allowed): Lint {
  const { globals, unreferenced } = allowed;
  const owned = tables.filter(({ name }) => !(name in globals));
  const distribution = owned.map((table) => distributionFaults(table, allowed));
  const exceptions = { ...globals, ...unreferenced };
  const stale = Object.keys(exceptions).filter((name) => !tables.some((table) => table.name === name));
  return {
    findings: [
      ...distribution.flat(),
      ...tables.flatMap(rowSecurityFaults),
      ...tables.flatMap(columnFaults),
      ...stale.map((name) => `${name} is allowed as an exception and does not exist`),
    ],
    summary: `${distribution.filter((faults) => faults.length === 0).length} of ${owned.length} tables distributable by organization`,
  };
}

function distributionFaults(table: Table, { globals, unreferenced }: Allowed): string[] {
  const { name, primaryKey, foreignKeys } = table;
  const faults: string[] = [];
  const wanted = name === ROOT ? 'id' : KEY;
  if (primaryKey[0] !== wanted) faults.push(`${name} has a primary key that does not start with ${wanted}`);
  const leads = foreignKeys.some(({ references }) => !(references in globals));
  if (name !== ROOT && !(name in unreferenced) && !leads)
    faults.push(`${name} has no foreign key that leads to ${ROOT}`);
  for (const key of foreignKeys) {
    const at = key.columns.indexOf(KEY);
    const through = key.referencedColumns[at];
    if (key.references in globals) faults.push(`${name}.${key.name} references the global table ${key.references}`);
    else if (at === -1 || through !== (key.references === ROOT ? 'id' : KEY))
      faults.push(`${name}.${key.name} does not carry ${KEY} to ${key.references}`);
    if (key.onDelete === 'set null' || key.onDelete === 'set default')
      faults.push(`${name}.${key.name} is on delete ${key.onDelete}, which would clear ${KEY} too`);
  }
  return faults;
}

function rowSecurityFaults({ name, forcesRowSecurity, policies }: Table): string[] {
  // The migrator's own table; it is made before any migration, and holds names of migrations only.
  if (name === 'mikro_orm_migrations') return [];
  return [
    ...(forcesRowSecurity ? [] : [`${name} does not force row-level security`]),
    ...(policies.some(({ roles }) => roles.includes('br_owner')) ? [] : [`${name} has no policy for br_owner`]),
    ...policies
      .filter(({ roles }) => roles.includes('public'))
      .map((policy) => `${name} opens policy ${policy.name} to everybody`),
  ];
}

function columnFaults({ name, columns, checked }: Table): string[] {
  if (name === 'mikro_orm_migrations') return [];
  return columns.flatMap((column) => {
    const faults: string[] = [];
    const isTime = /^(time|date|interval)/.test(column.type);
    if (isTime && column.type !== 'timestamp(6) with time zone')
      faults.push(`${name}.${column.name} is ${column.type} instead of timestamptz(6)`);
    if (/(^|_)status$/.test(column.name)) {
      if (column.type !== 'text') faults.push(`${name}.${column.name} is ${column.type} instead of text`);
      if (!checked.includes(column.name)) faults.push(`${name}.${column.name} has no CHECK of its words`);
    }
    return faults;
  });
}

/** All tables of the schema `public`. */
export async function readSchema(database: Pick<pg.ClientBase | pg.Pool, 'query'>): Promise<Table[]> {
  const { rows } = await database.query<{ table: Table }>(QUERY);
  return rows.map(({ table }) => table);
}

/** Names of columns by their numbers, in that order. */
const names = (table: string, numbers: string) =>
  `(select coalesce(json_agg(a.attname order by n.at), '[]') from unnest(${numbers}) with ordinality n(number, at)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = n.number)`;

const QUERY = `
select json_build_object(
  'name', c.relname,
  'primaryKey', coalesce(
    (select ${names('p.conrelid', 'p.conkey')} from pg_constraint p where p.conrelid = c.oid and p.contype = 'p'), '[]'),
  'columns', (
    select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
  'foreignKeys', (
    select coalesce(json_agg(json_build_object(
      'name', f.conname, 'columns', ${names('f.conrelid', 'f.conkey')},
      'references', f.confrelid::regclass::text, 'referencedColumns', ${names('f.confrelid', 'f.confkey')},
      'onDelete', case f.confdeltype
        when 'a' then 'no action' when 'r' then 'restrict' when 'c' then 'cascade' when 'n' then 'set null' else 'set default' end
    ) order by f.conname), '[]')
    from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and f.conparentid = 0),
  'checked', (
    select coalesce(json_agg(distinct a.attname), '[]') from pg_constraint k
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any(k.conkey) where k.conrelid = c.oid and k.contype = 'c'),
  'forcesRowSecurity', c.relrowsecurity and c.relforcerowsecurity,
  'policies', (
    select coalesce(json_agg(json_build_object('name', p.policyname, 'roles', p.roles) order by p.policyname), '[]')
    from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname)
) as "table"
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by c.relname`;
