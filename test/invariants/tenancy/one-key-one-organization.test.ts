import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Answer, company } from '../../support/client.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN, TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';

const DIE_BEFORE_ANSWER = fileURLToPath(new URL('../../support/processes/die-before-answer.mjs', import.meta.url));

let apps: TestApp[] = [];

afterEach(async () => {
  await ServiceProcess.killAll();
  for (const app of apps) await app.close();
  apps = [];
});

async function start(databaseUrl: string): Promise<TestApp> {
  const app = await TestApp.start({ databaseUrl });
  apps.push(app);
  return app;
}

/** One organization, and everybody who got an answer was told of it. */
async function expectOne(db: pg.Pool, answers: readonly Answer[]): Promise<void> {
  const created = answers.filter(({ status }) => status === 201);
  const late = answers.filter(({ status }) => status === 409);
  expect(created.length + late.length).toBe(answers.length);
  expect(created.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  for (const { body } of created) expect(body.data).toEqual(created[0]!.body.data);
  const { rows } = await db.query('select id from organization');
  expect(rows).toEqual([{ id: created[0]!.body.data.organization.id }]);
}

describe('one Idempotency-Key makes one organization', () => {
  it('of twenty creations at once', async () => {
    const app = await start(await freshDatabase('migrated'));
    const owner = await app.person();
    const [key, details] = [{ 'idempotency-key': randomUUID() }, company()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => owner.post('/organizations', details, key)));
    await expectOne(app.db, answers);
  });

  it('across two replicas', async () => {
    const databaseUrl = await freshDatabase('migrated');
    const replicas = [await start(databaseUrl), await start(databaseUrl)];
    const owner = await replicas[0]!.person();
    const clients = replicas.map((replica) => replica.client(owner.token));
    const [key, details] = [{ 'idempotency-key': randomUUID() }, company()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => clients[n % 2]!.post('/organizations', details, key)),
    );
    await expectOne(replicas[0]!.db, answers);
  });

  it('waits 2 s for a first use that does not end, then says so and leaves the key to it', async () => {
    const app = await start(await freshDatabase('migrated'));
    const owner = await app.person();
    const [key, details] = [randomUUID(), company()];
    const first = await app.db.connect();
    await first.query('begin');
    await first.query(
      `insert into idempotency_key (subject, key, digest, expires_at) values ($1, $2, '', now() + interval '1 hour')`,
      [owner.subject, key],
    );
    const startedAt = performance.now();
    const { status, body } = await owner.post('/organizations', details, { 'idempotency-key': key });
    const waitedMs = performance.now() - startedAt;
    expect([status, body.error.code]).toEqual([409, 'request_failed']);
    expect(waitedMs).toBeGreaterThan(1_900);
    expect(waitedMs).toBeLessThan(3_500);
    await first.query('rollback');
    first.release();
    expect((await owner.post('/organizations', details, { 'idempotency-key': key })).status).toBe(201);
  });

  it('whose process dies between commit and answer', async () => {
    const databaseUrl = await freshDatabase('migrated');
    const db = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    const [key, details] = [{ 'idempotency-key': randomUUID() }, company()];

    const victim = await ServiceProcess.start({ env: onDatabase(databaseUrl), preload: DIE_BEFORE_ANSWER });
    await expect(victim.call('POST', '/organizations', BOOTSTRAP_TOKEN, details, key)).rejects.toThrow();
    expect(await victim.exited).toEqual({ code: null, signal: 'SIGKILL' });
    const { rows: committed } = await db.query('select id from organization');
    expect(committed).toHaveLength(1);

    const next = await ServiceProcess.start({ env: onDatabase(databaseUrl) });
    const answer = await next.call('POST', '/organizations', BOOTSTRAP_TOKEN, details, key);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect(answer.body.data.organization.id).toBe(committed[0].id);
    expect((await db.query('select id from organization')).rows).toEqual(committed);
    expect((await db.query('select 1 from agent_profile')).rowCount).toBe(5);
    await db.end();
  });
});
