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
  const names = await connected(url, (rows) =>
    rows(`select datname as name from pg_database where datname like 'worker_%'`),
  );
  const leaks = [];
  for (const { name } of names) {
    const database = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    leaks.push(...(await connected(database, leaksInTables)).map(({ place, row }) => `${name}.${place}: ${row}`));
  }
  return leaks;
}

/** One statement for all tables: there are a hundred databases with as many tables. */
async function leaksInTables(rows) {
  const tables = await rows(`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`);
  const leaks = tables.map(
    ({ name }) => `select '${name}' as place, t::text as row from ${name} t where t::text like '%CANARY%'`,
  );
  return leaks.length === 0 ? [] : rows(leaks.join(' union all '));
}

async function connected(connectionString, read) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await read(async (text) => (await client.query(text)).rows);
  } finally {
    await client.end();
  }
}
