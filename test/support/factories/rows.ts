import type { TestApp } from '../test-app.ts';

/** Values by the names of their columns. */
export type Columns = Readonly<Record<string, unknown>>;

/** Inserts one row and answers its id; objects and lists become JSON where the column is JSON. */
export async function insertRow(app: TestApp, table: string, row: Columns): Promise<string> {
  const columns = Object.keys(row).join(', ');
  await app.db.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`,
    [asJson(row)],
  );
  return row.id as string;
}

/** Sets columns of the row with this id. */
export async function changeRow(app: TestApp, table: string, id: string, row: Columns): Promise<void> {
  const changes = Object.keys(row).map((column) => `${column} = r.${column}`);
  await app.db.query(
    `update ${table} t set ${changes.join(', ')} from jsonb_populate_record(null::${table}, $2) r where t.id = $1`,
    [id, asJson(row)],
  );
}

/** JSON has no bytes, so they go as the text from which PostgreSQL reads them. */
function asJson(row: Columns): string {
  const values = Object.entries(row).map(([column, value]) => [
    column,
    Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
  ]);
  return JSON.stringify(Object.fromEntries(values));
}
