import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/**
 * Every secret that the tests give the service contains CANARY. After the run no log line and no row of any database may
 * hold one: a secret that went in never comes out.
 */
export default async function globalTeardown() {
  const folder = process.env.TEST_FOLDER;
  try {
    const leaks = [...leaksInLogs(folder), ...(await leaksInDatabases(process.env.TEST_DATABASE_URL))];
    if (leaks.length > 0) throw new Error(`Secrets came out again:\n${leaks.slice(0, 20).join('\n')}`);
  } finally {
    await globalThis.testServer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function leaksInLogs(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.includes('CANARY'))
    .map((line) => `log: ${line}`);
}

async function leaksInDatabases(url) {
  const names = await query(url, `select datname as name from pg_database where datname like 'worker_%'`);
  const leaks = [];
  for (const { name } of names) {
    const database = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    const tables = await query(
      database,
      `select c.oid::regclass::text as name from pg_class c
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
    );
    for (const table of tables) {
      const rows = await query(database, `select t::text as row from ${table.name} t where t::text like '%CANARY%'`);
      leaks.push(...rows.map(({ row }) => `${name}.${table.name}: ${row}`));
    }
  }
  return leaks;
}

async function query(connectionString, text) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
