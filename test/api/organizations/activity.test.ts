import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

interface Row {
  id: string;
  at: string;
  actor: { kind: string; id: string; name: string };
  verb: string;
  subject: { kind: string; id: string; label: string };
  details: Record<string, unknown>;
}

const app = useTestApp();
const owner = usePerson(app, 'laptop');
const friend = `token:${randomUUID()}`;
/** An organization with a past, and its rows as they happened. */
let id: string;
let rows: Row[];

const pathOf = (query = '', organizationId = id) => `/organizations/${organizationId}/activity?${query}`;
async function list(query = '', organizationId = id): Promise<Row[]> {
  const { status, body } = await owner.get(pathOf(query, organizationId));
  expect(status).toBe(200);
  return body.data;
}
const ids = (of: readonly Row[]) => of.map((row) => row.id);

beforeAll(async () => {
  id = await organizationOf(owner, { name: 'Chronicle' });
  await owner.patch(`/organizations/${id}`, { name: 'Annals' });
  await owner.put(`/organizations/${id}/work-dispatch`, { status: 'stopped' });
  await owner.put(`/organizations/${id}/work-dispatch`, { status: 'running' });
  await owner.put(`/organizations/${id}/members/${friend}`, { role: 'owner' });
  await owner.delete(`/organizations/${id}/members/${friend}`);
  rows = await list('order=asc');
});

describe('GET …/activity: 200', () => {
  it('tells who did what to what', () => {
    const actor = { kind: 'owner', id: owner.subject, name: 'laptop' };
    const renamed = { kind: 'organization', id, label: 'Annals' };
    const member = { kind: 'member', id: friend, label: friend };
    const row = { id: expect.any(String), at: expect.stringMatching(/\.\d{6}Z$/), actor, details: {} };
    expect(rows).toEqual([
      { ...row, verb: 'organization.created', subject: { ...renamed, label: 'Chronicle' } },
      { ...row, verb: 'organization.updated', subject: renamed, details: { changed: ['name'] } },
      { ...row, verb: 'work_dispatch.stopped', subject: renamed },
      { ...row, verb: 'work_dispatch.resumed', subject: renamed },
      { ...row, verb: 'member.added', subject: member, details: { role: 'owner' } },
      { ...row, verb: 'member.removed', subject: member },
    ]);
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).sort());
  });

  it('is written by no read, no refused call, and newest first', async () => {
    await owner.get(`/organizations/${id}`);
    await owner.patch(`/organizations/${id}`, { name: '' });
    await owner.delete(`/organizations/${id}/members/${friend}`);
    expect(ids(await list())).toEqual(ids(rows).toReversed());
  });

  it('filters', async () => {
    const [created, updated, stopped, resumed, added, removed] = rows;
    const expectRows = async (query: string, ...expected: (Row | undefined)[]) =>
      expect([query, ...ids(await list(`order=asc&${query}`))]).toEqual([query, ...expected.map((row) => row!.id)]);
    await expectRows('verb=organization.updated', updated);
    await expectRows('verb=member.added&verb=member.removed', added, removed);
    await expectRows('verb=task.created');
    await expectRows('subjectKind=member', added, removed);
    await expectRows(`subjectId=${id}`, created, updated, stopped, resumed);
    await expectRows(`subjectId=${encodeURIComponent(friend)}&verb=member.added`, added);
    await expectRows('actorKind=owner&actorKind=agent', ...rows);
    await expectRows('actorKind=agent&actorKind=system');
    await expectRows(`createdAfter=${stopped!.at}`, resumed, added, removed);
    await expectRows(`createdBefore=${stopped!.at}`, created, updated);
    await expectRows(`createdAfter=${updated!.at}&createdBefore=${resumed!.at}`, stopped);
  });

  it.each(['desc', 'asc'])('pages forwards and backwards, order %s', async (order) => {
    const all = await list(`order=${order}&verb=organization.created&verb=organization.updated&subjectId=${id}`);
    expect(all).toHaveLength(2);
    const [a, b, c, d, e, f] = ids(order === 'asc' ? rows : rows.toReversed());
    const page = async (cursor?: string) => {
      const { body } = await owner.get(pathOf(`limit=2&order=${order}${cursor ? `&cursor=${cursor}` : ''}`));
      return { ids: ids(body.data), ...body.pagination };
    };
    const first = await page();
    expect(first).toMatchObject({ ids: [a, b], previousCursor: null, hasPreviousPage: false, hasNextPage: true });
    const second = await page(first.nextCursor);
    expect(second).toMatchObject({ ids: [c, d], previousCursor: null, hasPreviousPage: true, hasNextPage: true });
    const third = await page(second.nextCursor);
    expect(third).toMatchObject({ ids: [e, f], nextCursor: null, hasPreviousPage: true, hasNextPage: false });
    expect(third.previousCursor).toBe(first.nextCursor);
    expect(await page(third.previousCursor)).toMatchObject({ ids: [c, d], nextCursor: second.nextCursor });
  });

  it('goes on from a row that retention has taken', async () => {
    const other = await organizationOf(owner);
    for (const status of ['stopped', 'running']) await owner.put(`/organizations/${other}/work-dispatch`, { status });
    const [resumed, stopped, created] = ids(await list('', other));
    const { nextCursor } = (await owner.get(pathOf('limit=2', other))).body.pagination;
    await app.db.query('delete from activity where organization_id = $1 and id = $2', [other, stopped]);
    const { body } = await owner.get(pathOf(`limit=2&cursor=${nextCursor}`, other));
    expect(ids(body.data)).toEqual([created]);
    expect(ids(await list('', other))).toEqual([resumed, created]);
  });
});

describe('the administrator in the activity', () => {
  const uses = async (organizationId: string) => list('verb=bootstrap.used', organizationId);

  it('stands there with reads as one counted row a minute', async () => {
    const used = await organizationOf(owner);
    for (const path of ['', '/members', '/activity', '/work-dispatch', '/agent-profiles'])
      await app.bootstrap.get(`/organizations/${used}${path}`);
    await Promise.all([1, 2, 3].map(() => app.bootstrap.get(`/organizations/${used}`)));
    const found = await uses(used);
    // Two rows where a minute ended in between.
    expect(found.length).toBeLessThanOrEqual(2);
    expect(new Set(found.map(({ at }) => at)).size).toBe(found.length);
    for (const { at } of found) expect(at).toMatch(/:00\.000000Z$/);
    expect(found.map(({ details }) => Number(details.count)).reduce((sum, count) => sum + count)).toBe(8);
    expect(found[0]).toMatchObject({
      actor: { kind: 'owner', id: 'bootstrap', name: 'bootstrap' },
      subject: { kind: 'organization', id: used },
    });
  });

  it('stands there with writes by their own verb too', async () => {
    const used = await organizationOf(owner);
    await app.bootstrap.patch(`/organizations/${used}`, { name: 'Administered' });
    const updated = await list('verb=organization.updated', used);
    expect(updated).toMatchObject([{ actor: { kind: 'owner', id: 'bootstrap', name: 'bootstrap' } }]);
    expect(await uses(used)).toHaveLength(1);
  });

  it('stands there with what was refused, too', async () => {
    const used = await organizationOf(owner);
    const refused = await app.bootstrap.delete(`/organizations/${used}/members/token:${randomUUID()}`);
    expect(refused.status).toBe(404);
    expect(await uses(used)).toMatchObject([{ details: { count: 1 } }]);
  });

  it('does not wait for the end of another use that takes long', async () => {
    const used = await organizationOf(owner);
    const holder = await app.db.connect();
    try {
      await holder.query('begin');
      await holder.query('select from organization where id = $1 for no key update', [used]);
      const slow = app.bootstrap.patch(`/organizations/${used}`, { name: 'Waits' });
      await until('the write waits', async () => {
        const { rowCount } = await app.db.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rowCount! > 0;
      });
      expect((await app.bootstrap.get(`/organizations/${used}`)).status).toBe(200);
      await holder.query('rollback');
      expect((await slow).status).toBe(200);
    } finally {
      holder.release();
    }
  });

  it('is the only one who does', async () => {
    const used = await organizationOf(owner);
    await owner.get(`/organizations/${used}`);
    await (await app.person()).get(`/organizations/${used}`);
    expect(await uses(used)).toEqual([]);
  });

  it('leaves no trace in an organization by listing all of them', async () => {
    const used = await organizationOf(owner);
    await app.bootstrap.get('/organizations');
    expect(await uses(used)).toEqual([]);
  });
});

describe('GET …/activity: 400', () => {
  it.each([
    ['actorKind=robot', 'actorKind', 'invalid_item'],
    ['verb=', 'verb', 'invalid_item'],
    ['subjectKind=', 'subjectKind', 'invalid_length'],
    ['createdAfter=now', 'createdAfter', 'invalid_timestamp'],
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=201', 'limit', 'out_of_range'],
    ['limit=abc', 'limit', 'wrong_type'],
    ['updatedAfter=2026-03-01T09:30:00Z', 'updatedAfter', 'unknown_property'],
    ['cursor=abc', 'cursor', 'invalid_cursor'],
    ['cursor=W10', 'cursor', 'invalid_cursor'],
  ])('refuses ?%s', async (query, path, code) => {
    const { status, body } = await owner.get(pathOf(query));
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path, code }] });
  });

  it('refuses a cursor that was altered or is used with other filters', async () => {
    const { nextCursor } = (await owner.get(pathOf('limit=2'))).body.pagination;
    const [version, seal, ...position] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
    const written = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    expect(written(version, seal, ...position)).toBe(nextCursor);
    for (const query of [
      `cursor=${written(version, seal, rows[0]!.at, position[1])}`,
      `cursor=${written(version + 1, seal, ...position)}`,
      `cursor=${written(version, seal, ...position, 'more')}`,
      `cursor=${nextCursor.slice(0, -6)}`,
      `cursor=${nextCursor}&order=asc`,
      `cursor=${nextCursor}&verb=organization.created`,
      `cursor=${nextCursor}&createdAfter=${rows[0]!.at}`,
    ]) {
      const { status, body } = await owner.get(pathOf(query));
      expect([query, status]).toEqual([query, 400]);
      expect(body.error.issues).toMatchObject([{ path: 'cursor', code: 'invalid_cursor' }]);
    }
    // The size of a page is no filter.
    expect((await owner.get(pathOf(`limit=3&cursor=${nextCursor}`))).status).toBe(200);
  });
});

describe('GET …/activity: 404', () => {
  it('for those who do not belong to the organization', async () => {
    const { status, body } = await (await app.person()).get(pathOf());
    expect(status).toBe(404);
    expect(body.error.code).toBe('organization_not_found');
  });
});
