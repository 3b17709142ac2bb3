import { randomUUID } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { company, createOrganization, organizationOf } from '../../support/client.ts';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { objectStoreOf } from '../../support/test-app.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);

const purge = () => app.runJob('organization-purge');
const rowsOf = async <Row>(text: string, ...values: unknown[]) =>
  (await app.db.query(text, values)).rows as unknown as Row[];

/** A row for each day from `$2` to `$3` days ago. */
const WRITE_ACTIVITY = `
  insert into activity
  select $1::uuid, clock_timestamp() - day * interval '1 day', gen_random_uuid(), 'system', 'system', 'test',
         'test.written', 'test', 'test', 'test', '{}'
  from generate_series($2::int, $3::int) day`;

/** How many rows each table holds of an organization, its own row included; tables without any are left out. */
async function remains(id: string): Promise<Record<string, number>> {
  const tables = await rowsOf<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = 'organization_id' and c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace`,
  );
  const found: Record<string, number> = {};
  for (const { name, column } of [
    ...tables.map(({ name: each }) => ({ name: each, column: 'organization_id' })),
    { name: 'organization', column: 'id' },
  ]) {
    const [row] = await rowsOf<{ n: number }>(`select count(*)::int as n from ${name} where ${column} = $1`, id);
    if (row!.n > 0) found[name] = row!.n;
  }
  return found;
}

describe('DELETE /organizations/{organizationId}: 200', () => {
  it('answers with the organization, once', async () => {
    const id = await organizationOf(owner);
    const before = (await owner.get(`/organizations/${id}`)).body.data;
    const { status, body } = await owner.delete(`/organizations/${id}`);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, status: 'deleting', updatedAt: body.data.updatedAt });
    expect(body.data.updatedAt > before.updatedAt).toBe(true);
    expect((await owner.delete(`/organizations/${id}`)).status).toBe(404);
    const log = await rowsOf(
      `select actor_id, subject_id from activity where organization_id = $1 and verb = 'organization.deleted'`,
      id,
    );
    expect(log).toEqual([{ actor_id: owner.subject, subject_id: id }]);
  });

  it('lets one of two at once delete it', async () => {
    const id = await organizationOf(owner);
    const answers = await Promise.all([1, 2].map(() => owner.delete(`/organizations/${id}`)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
  });

  it('frees the slug at once', async () => {
    const name = `Phoenix ${randomUUID().slice(0, 8)}`;
    const first = (await createOrganization(owner, { name })).body.data.organization;
    await owner.delete(`/organizations/${first.id}`);
    const second = (await createOrganization(owner, { name })).body.data.organization;
    expect(second.slug).toBe(first.slug);
    expect(second.id).not.toBe(first.id);
  });

  it('takes it out of every list', async () => {
    const [kept, gone] = [await organizationOf(owner), await organizationOf(owner)];
    await owner.delete(`/organizations/${gone}`);
    for (const client of [owner, app.bootstrap]) {
      const listed = (await client.get('/organizations?limit=200')).body.data.map(({ id }: { id: string }) => id);
      expect(listed).toContain(kept);
      expect(listed).not.toContain(gone);
    }
  });

  it('works while it is being onboarded', async () => {
    const id = await organizationOf(owner);
    await app.db.query(`update organization set status = 'onboarding' where id = $1`, [id]);
    expect((await owner.delete(`/organizations/${id}`)).body.data.status).toBe('deleting');
  });
});

describe('DELETE /organizations/{organizationId}: 404', () => {
  it('on every route from then on, for members and the administrator', async () => {
    const id = await organizationOf(owner);
    const [profile] = (await owner.get(`/organizations/${id}/agent-profiles`)).body.data;
    const routes: [method: string, path: string, body?: unknown][] = [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['GET', '/work-dispatch'],
      ['PUT', '/work-dispatch', { status: 'stopped' }],
      ['GET', '/members'],
      ['PUT', `/members/${owner.subject}`, { role: 'owner' }],
      ['DELETE', `/members/${owner.subject}`],
      ['GET', '/activity'],
      ['GET', '/agent-profiles'],
      ['POST', '/agent-profiles', { key: 'seo', name: 'SEO', kind: 'department', department: 'growth' }],
      ['POST', '/agent-profiles/provision', { departments: [] }],
      ['GET', `/agent-profiles/${profile.id}`],
      ['PATCH', `/agent-profiles/${profile.id}`, {}],
      ['DELETE', `/agent-profiles/${profile.id}`],
    ];
    await owner.delete(`/organizations/${id}`);
    const rows = await remains(id);
    for (const client of [owner, app.bootstrap])
      for (const [method, path, body] of routes)
        expect([method, path, await client.send(method, `/organizations/${id}${path}`, body)]).toMatchObject([
          method,
          path,
          { status: 404, body: { error: { code: 'organization_not_found' } } },
        ]);
    expect(await remains(id)).toEqual(rows);
  });

  it('for those who do not belong to it', async () => {
    const id = await organizationOf(owner);
    expect((await (await app.person()).delete(`/organizations/${id}`)).body.error.code).toBe('organization_not_found');
    expect((await owner.get(`/organizations/${id}`)).status).toBe(200);
    expect((await owner.delete(`/organizations/${randomUUID()}`)).status).toBe(404);
  });
});

describe('the purge', () => {
  it('leaves no row behind, however many there are, and touches no other organization', async () => {
    const key = randomUUID();
    const details = company({ name: `Purged ${randomUUID()}` });
    const created = await owner.post('/organizations', details, { 'idempotency-key': key });
    const { id, name } = created.body.data.organization;
    const other = await organizationOf(owner);
    for (const each of [id, other]) {
      await owner.put(`/organizations/${each}/members/token:${randomUUID()}`, { role: 'owner' });
      await app.bootstrap.get(`/organizations/${each}`);
      // In several partitions, and more than two batches.
      await app.db.query(WRITE_ACTIVITY, [each, -20, 11_000]);
    }
    const profile = { key: 'seo', name, kind: 'department', department: 'growth' };
    await owner.post(`/organizations/${id}/agent-profiles`, profile, { 'idempotency-key': randomUUID() });
    await owner.delete(`/organizations/${id}`);
    const others = await remains(other);
    expect(await remains(id)).toMatchObject({ activity: expect.any(Number), membership: 2, agent_profile: 6 });

    await purge();

    // The keys stay used; of their answers nothing is left.
    expect(await remains(id)).toEqual({ idempotency_key: 2 });
    const answers = await rowsOf('select answer from idempotency_key where organization_id = $1', id);
    expect(answers).toEqual([{ answer: null }, { answer: null }]);
    expect(await rowsOf('select from idempotency_key where answer::text like $1', `%${name}"%`)).toEqual([]);
    expect(await remains(other)).toEqual(others);
    expect((await owner.get(`/organizations/${other}`)).status).toBe(200);
    const replay = await owner.post('/organizations', details, { 'idempotency-key': key });
    expect(replay.status).toBe(409);
    expect(replay.body.error.code).toBe('request_failed');
  });

  it('comes back for an organization that a write in flight held back', async () => {
    const [id, next] = [await organizationOf(owner), await organizationOf(owner)];
    for (const each of [id, next]) await owner.delete(`/organizations/${each}`);
    const writer = await app.db.connect();
    try {
      await writer.query('begin');
      await writer.query(WRITE_ACTIVITY, [id, 0, 0]);
      const pass = purge();
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await rowsOf(waiting)).length === 0);
      await writer.query('commit');
      await pass;
    } finally {
      writer.release();
    }
    expect(await remains(id)).toMatchObject({ activity: 1, organization: 1 });
    expect(await remains(next)).toEqual({ idempotency_key: 1 });
    await purge();
    expect(await remains(id)).toEqual({ idempotency_key: 1 });
  });
});

describe('the bytes of a deleted organization', () => {
  let objects: ObjectStore;
  beforeAll(() => {
    objects = app.app.get(ObjectStore);
  });

  const put = (key: string) => objects.put(key, Readable.from([Buffer.from('bytes')]), { maxBytes: 100 });
  const isThere = async (key: string) => (await objects.stat(key)) !== undefined;
  const late = () => app.runJob('organization-objects');
  const passAnHour = (id: string) => {
    const anHourAgo = new Date(Date.now() - 60 * 60 * 1000);
    utimesSync(join(objectStoreOf(app.databaseUrl), 'purged-organizations', id), anHourAgo, anHourAgo);
  };

  it('go after its rows, and those of others stay', async () => {
    const [gone, kept] = [await organizationOf(owner), await organizationOf(owner)];
    for (const id of [gone, kept]) await put(`organizations/${id}/runs/1/artifacts/a`);
    await owner.delete(`/organizations/${gone}`);
    expect(await isThere(`organizations/${gone}/runs/1/artifacts/a`)).toBe(true);
    await purge();
    expect(await isThere(`organizations/${gone}/runs/1/artifacts/a`)).toBe(false);
    expect(await isThere(`organizations/${kept}/runs/1/artifacts/a`)).toBe(true);
  });

  it('go an hour later once more, whatever came meanwhile', async () => {
    const id = await organizationOf(owner);
    await owner.delete(`/organizations/${id}`);
    await purge();
    await put(`organizations/${id}/late`);
    await late();
    expect(await isThere(`organizations/${id}/late`)).toBe(true);
    passAnHour(id);
    await late();
    expect([await isThere(`organizations/${id}/late`), await isThere(`purged-organizations/${id}`)]).toEqual([
      false,
      false,
    ]);
    // For good: a second time nobody looks.
    await put(`organizations/${id}/late`);
    await late();
    expect(await isThere(`organizations/${id}/late`)).toBe(true);
    await objects.deletePrefix(`organizations/${id}`);
  });

  it('go an hour later where the process died before the first time', async () => {
    const id = await organizationOf(owner);
    await put(`organizations/${id}/left`);
    await owner.delete(`/organizations/${id}`);
    const removing = jest.spyOn(objects, 'deletePrefix').mockRejectedValueOnce(new Error('expected by the test'));
    await expect(purge()).rejects.toThrow('expected by the test');
    removing.mockRestore();
    expect(await rowsOf('select from organization where id = $1', id)).toEqual([]);
    expect(await isThere(`organizations/${id}/left`)).toBe(true);
    passAnHour(id);
    await late();
    expect(await isThere(`organizations/${id}/left`)).toBe(false);
  });

  it('hold the purge back while nothing can be stored, and not for good', async () => {
    const id = await organizationOf(owner);
    await owner.delete(`/organizations/${id}`);
    const marking = jest.spyOn(objects, 'put').mockRejectedValueOnce(new Error('expected by the test'));
    await expect(purge()).rejects.toThrow('expected by the test');
    marking.mockRestore();
    expect(await remains(id)).toMatchObject({ organization: 1 });
    await purge();
    expect(await remains(id)).toEqual({ idempotency_key: 1 });
  });
});
