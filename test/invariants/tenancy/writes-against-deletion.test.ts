import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Answer, createOrganization } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const ROUNDS = 8;
const PURGE = 'organization-purge';

describe('a write that races the deletion of its organization', () => {
  const app = useTestApp({ ownDatabase: true });
  const owner = usePerson(app);

  it('succeeds before it or is answered 404, and leaves no row behind', async () => {
    const friend = await app.person();
    const seen = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { organization, agentProfiles } = (await createOrganization(owner)).body.data;
      const path = `/organizations/${organization.id}`;
      const key = () => ({ 'idempotency-key': randomUUID() });
      const writes = (n: number) => [
        owner.post(`${path}/agent-profiles`, profile(`growth-${n}`), key()),
        owner.post(`${path}/agent-profiles/provision`, { departments: ['growth'] }, key()),
        owner.put(`${path}/members/${encodeURIComponent(friend.subject)}`, { role: 'owner' }),
        owner.patch(path, { name: `Renamed ${n}` }),
        owner.patch(`${path}/agent-profiles/${agentProfiles[0].id}`, { name: `Renamed ${n}` }),
        app.bootstrap.get(path),
      ];
      const early = writes(0);
      // Every other time one write is done for certain before the deletion begins.
      if (round % 2 === 1) await early[0];
      const purging = deleteAndPurge(path);
      for (const { status, text } of await Promise.all([...early, ...writes(1), ...writes(2)])) {
        if (![200, 201, 404].includes(status)) throw new Error(`${status}: ${text}`);
        seen.add(status);
      }
      expect((await purging).status).toBe(200);
      for (const { status } of await Promise.all(writes(3))) expect(status).toBe(404);
      await expectNothingOf(organization.id);
    }
    expect([...seen].toSorted((a, b) => a - b)).toEqual([200, 201, 404]);
  });

  it('and has entered it, finds it gone: 404', async () => {
    const { organization } = (await createOrganization(owner)).body.data;
    const path = `/organizations/${organization.id}`;
    const key = randomUUID();
    const holder = await app.db.connect();
    try {
      // The write waits for the first use of its key: inside the organization, before it has written a row.
      await holder.query('begin');
      await holder.query(
        `insert into idempotency_key (subject, key, digest, expires_at) values ($1, $2, '', now() + interval '1 hour')`,
        [owner.subject, key],
      );
      const write = owner.post(`${path}/agent-profiles`, profile('late'), { 'idempotency-key': key });
      await until('the write waits', async () => (await waiting()) === 1);
      await deleteAndPurge(path);
      await expectNothingOf(organization.id);
      await holder.query('rollback');
      const { status, body } = await write;
      expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
      await expectNothingOf(organization.id);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  it('and has written, but not yet committed, is waited for', async () => {
    const { organization } = (await createOrganization(owner)).body.data;
    const path = `/organizations/${organization.id}`;
    const writer = await app.db.connect();
    try {
      expect((await owner.delete(path)).status).toBe(200);
      // As a write does that entered before the mark.
      await writer.query('begin');
      await writer.query(
        `insert into activity (organization_id, id, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label, details)
         values ($1, gen_random_uuid(), 'system', 'late', 'late', 'late', 'late', 'late', 'late', '{}')`,
        [organization.id],
      );
      const pass = app.runJob(PURGE);
      await until('the purge waits', async () => (await waiting()) === 1);
      await writer.query('commit');
      await pass;
      await app.runJob(PURGE);
      await expectNothingOf(organization.id);
    } finally {
      await writer.query('rollback');
      writer.release();
    }
  });

  const profile = (key: string) => ({ key, name: key, kind: 'department', department: 'growth' });

  async function deleteAndPurge(path: string): Promise<Answer> {
    const deleted = await owner.delete(path);
    const id = path.split('/').at(-1);
    await until('the purge has removed the organization', async () => {
      await app.runJob(PURGE);
      return (await app.db.query('select 1 from organization where id = $1', [id])).rowCount === 0;
    });
    return deleted;
  }

  /** Connections of the service that wait for a lock. */
  async function waiting(): Promise<number> {
    const { rowCount } = await app.db.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount!;
  }

  /** No row of any table names the organization; a used key may, without what was answered. */
  async function expectNothingOf(organizationId: string): Promise<void> {
    const { rows: tables } = await app.db.query(
      `select c.oid::regclass::text as name from pg_class c
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
    );
    expect(tables.length).toBeGreaterThan(8);
    for (const { name } of tables) {
      const isKey = name === 'idempotency_key';
      const { rows } = await app.db.query(
        `select t::text as row from ${name} t where ${isKey ? 't.answer' : 't'}::text like $1`,
        [`%${organizationId}%`],
      );
      expect({ name, rows }).toEqual({ name, rows: [] });
    }
  }
});

describe('a deleted organization and a removed member', () => {
  it('are gone at once on every replica', async () => {
    const [one, other] = [await TestApp.start(), await TestApp.start()];
    try {
      const [creator, friend] = [await one.person(), await one.person()];
      const path = `/organizations/${(await createOrganization(creator)).body.data.organization.id}`;
      await creator.put(`${path}/members/${friend.subject}`, { role: 'owner' });
      const elsewhere = { creator: other.client(creator.token), friend: other.client(friend.token) };
      expect([(await elsewhere.creator.get(path)).status, (await elsewhere.friend.get(path)).status]).toEqual([
        200, 200,
      ]);
      await creator.delete(`${path}/members/${friend.subject}`);
      expect((await elsewhere.friend.get(path)).status).toBe(404);
      await creator.delete(path);
      expect((await elsewhere.creator.get(path)).status).toBe(404);
      expect((await other.bootstrap.get(path)).status).toBe(404);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });
});
