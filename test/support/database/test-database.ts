import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Databases made by this worker, so that a later file of the same worker finds its own again. */
const worker = process.env.JEST_WORKER_ID ?? '1';

function urlOf(database: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL!);
  url.pathname = `/${database}`;
  return url.href;
}

async function administer<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The worker's own database, cloned from the migrated template at first use. Files isolate themselves by organization. */
export async function workerDatabase(): Promise<string> {
  const name = `worker_${worker}`;
  await administer('postgres', async (client) => {
    // Two that clone at once would each find the template in use by the other; and two of this worker may come at once.
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0)
      await client.query(`create database ${name} template template_business_runner strategy wal_log`);
  });
  return urlOf(name);
}

const KINDS = {
  migrated: 'template template_business_runner',
  empty: '',
  latin1: `template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
};

/** A database that a test may do anything to; all but `migrated` have no schema. */
export async function freshDatabase(kind: keyof typeof KINDS): Promise<string> {
  // Jest loads this file anew for each test file of a worker, so a counter would start again.
  const name = `worker_${worker}_${randomUUID().slice(0, 8)}`;
  await administer('postgres', async (client) => {
    await client.query('select pg_advisory_lock(1)');
    await client.query(`create database ${name} ${KINDS[kind]}`);
  });
  return urlOf(name);
}

/** A migrated database of its own, changed by a statement in which THIS is its name. */
export async function changedDatabase(statement: string): Promise<string> {
  const url = await freshDatabase('migrated');
  const name = new URL(url).pathname.slice(1);
  await administer(name, (client) => client.query(statement.replaceAll('THIS', name)));
  return url;
}

/** Whether the service reaches the databases of this run through a pooler. */
export const isPooled = process.env.TEST_POOLER_URL !== undefined;

/**
 * How the service reaches a database: at its server, or, in a run with a pooler, through that, as an operator sets it
 * up. The tests themselves always look at the server.
 */
export function addressOf(url: string): Record<string, string> {
  const { TEST_DATABASE_URL: server, TEST_POOLER_URL: pooler } = process.env;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  // A test may have a server of its own, which the run's pooler does not know.
  if (pooler === undefined || address?.host !== new URL(server!).host) return { DATABASE_URL: url };
  address.host = new URL(pooler).host;
  return { DATABASE_URL: address.href, DATABASE_DIRECT_URL: url, DATABASE_PREPARED: 'off' };
}
