import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../support/database/test-database.ts';
import { PgBouncer } from '../support/peers/pgbouncer.ts';
import { TestApp } from '../support/test-app.ts';
import { until } from '../support/until.ts';
import { Tenant, UNDONE } from './tenant-calls.ts';

/** Enough that each kind meets each other on each connection; more where the environment says so. */
const REQUESTS = Number(process.env.TEST_REQUESTS ?? 2_500);
/** Those that are in flight at once, over so few connections to the server. */
const CALLERS = 12;
const SERVER_CONNECTIONS = 3;
const LIMIT_MS = 100_000 + REQUESTS * 20;

/** A login as an operator makes it: none of its rights hold outside a context. */
const login = `pooled_${randomUUID().slice(0, 8)}`;
const password = randomUUID();
const databaseUrl = await freshDatabase('migrated');
const direct = Object.assign(new URL(databaseUrl), { username: login, password }).href;

let pooler: PgBouncer;
let pooled: string;
let app: TestApp;
let tenants: readonly [Tenant, Tenant];
/** Another client of the pooler, with the same login: it is served by the connections that the service has used. */
let bystander: pg.Pool;

beforeAll(async () => {
  await asAdministrator(`create role ${login} login password '${password}'`);
  await asAdministrator(`grant br_app, br_dispatch to ${login} with inherit false, set true`);
  pooler = await PgBouncer.start(databaseUrl, { default_pool_size: SERVER_CONNECTIONS });
  pooled = pooler.through(direct);
  const addresses = { DATABASE_URL: pooled, DATABASE_DIRECT_URL: databaseUrl, DATABASE_PREPARED: 'off' };
  app = await TestApp.start({ databaseUrl, env: { ...addresses, RUN_LEASE_SECONDS: '3600' } });
  tenants = [await Tenant.open(app, 'ALPHA'), await Tenant.open(app, 'BRAVO')];
  bystander = new pg.Pool({ connectionString: pooled, max: 4 });
}, 30_000);
afterAll(async () => {
  await bystander.end();
  await app.close();
  await pooler.stop();
  await asAdministrator(`drop owned by ${login}`);
  await asAdministrator(`drop role ${login}`);
});

async function asAdministrator(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** What is left of a context on a connection of the server, and what its application role sees there. */
async function left(): Promise<string[]> {
  const results = (await bystander.query(`
    select current_user::text as "user", coalesce(current_setting('app.org', true), '') as org,
      coalesce(current_setting('app.subject', true), '') as subject, current_setting('statement_timeout') as timeout;
    begin;
    set local role br_app;
    select (select count(*) from organization) + (select count(*) from task) + (select count(*) from chat)
      + (select count(*) from message) + (select count(*) from activity) + (select count(*) from membership) as seen;
    rollback`)) as unknown as { rows: Record<string, unknown>[] }[];
  const [settings, seen] = [results[0]!.rows[0]!, results[3]!.rows[0]!];
  const wanted = { user: login, org: '', subject: '', timeout: '0', seen: '0' };
  const found: Record<string, unknown> = { ...settings, ...seen };
  return Object.entries(wanted)
    .filter(([name, value]) => String(found[name]) !== value)
    .map(([name]) => `${name} is ${String(found[name])}`);
}

describe('two organizations over a few connections of a transaction pooler', () => {
  it(
    `never meet in ${REQUESTS} interleaved requests, and leave no context behind`,
    async () => {
      const [alpha, bravo] = tenants;
      const calls = [alpha.calls(bravo, pooled), bravo.calls(alpha, pooled)] as const;
      const wrong: string[] = [];
      const made = new Map<string, number>();
      let next = 0;
      const caller = async () => {
        while (next < REQUESTS && wrong.length < 10) {
          const at = next++;
          const kinds = calls[at % 2]!;
          const [what, call] = kinds[Math.floor(at / 2) % kinds.length]!;
          const found = [(await call()) ?? [], await left()].flat();
          wrong.push(...found.map((each) => `request ${at}, ${what}: ${each}`));
          made.set(what, (made.get(what) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));

      expect(wrong).toEqual([]);
      expect([...made.values()].reduce((all, count) => all + count, 0)).toBe(REQUESTS);
      const { rows } = await app.db.query(`
      select count(*)::int as count from pg_stat_activity where usename = '${login}'`);
      expect(rows[0].count).toBeLessThanOrEqual(SERVER_CONNECTIONS);
      const undone = await app.db.query('select from chat where title = $1', [UNDONE]);
      expect(undone.rowCount).toBe(0);
    },
    LIMIT_MS,
  );

  it('would be seen to meet if a context outlived its transaction', async () => {
    const [alpha] = tenants;
    await bystander.query(`select set_config('app.org', $1, false)`, [alpha.organizationId]);
    let seen: string[] = [];
    await until('the connection that it was left on serves again', async () => (seen = await left()).length > 0);
    expect(seen).toContain(`org is ${alpha.organizationId}`);
    expect(seen.join()).toMatch(/seen is [1-9]/);
  });
});
