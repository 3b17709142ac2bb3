import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

// Of its own: the administrator sees the organizations of all other files too, whatever ids those have.
const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);
/** Five organizations of the owner, oldest first. */
const ids: string[] = [];

beforeAll(async () => {
  for (let n = 0; n < 5; n += 1) ids.push(await organizationOf(owner));
});

async function page(query = '', client: Client = owner) {
  const { status, body } = await client.get(`/organizations?${query}`);
  expect(status).toBe(200);
  return { ids: body.data.map(({ id }: { id: string }) => id), pagination: body.pagination };
}

describe('GET /organizations: 200', () => {
  it('shows the organizations of the caller, newest first', async () => {
    const { status, body } = await owner.get('/organizations');
    expect(status).toBe(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    expect(body.pagination).toEqual({
      cursor: null,
      limit: 50,
      nextCursor: null,
      previousCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
    });
    const single = await owner.get(`/organizations/${ids[4]}`);
    expect(body.data[0]).toEqual(single.body.data);
  });

  it('shows them to nobody else but those who were added, and the administrator', async () => {
    const stranger = await app.person();
    expect((await page('', stranger)).ids).toEqual([]);
    await owner.put(`/organizations/${ids[2]}/members/${stranger.subject}`, { role: 'owner' });
    expect((await page('', stranger)).ids).toEqual([ids[2]]);
    const theirs = await organizationOf(stranger);
    expect((await page()).ids).not.toContain(theirs);
    expect((await page('limit=6', app.bootstrap)).ids).toEqual([theirs, ...ids.toReversed()]);
  });

  it.each(['desc', 'asc'])('pages forwards and backwards, order %s', async (order) => {
    const [a, b, c, d, e] = order === 'asc' ? ids : ids.toReversed();
    const first = await page(`limit=2&order=${order}`);
    expect(first.ids).toEqual([a, b]);
    expect(first.pagination).toEqual({
      cursor: null,
      limit: 2,
      nextCursor: b,
      previousCursor: null,
      hasNextPage: true,
      hasPreviousPage: false,
    });
    const second = await page(`limit=2&order=${order}&cursor=${first.pagination.nextCursor}`);
    expect(second.ids).toEqual([c, d]);
    expect(second.pagination).toEqual({
      cursor: b,
      limit: 2,
      nextCursor: d,
      previousCursor: null,
      hasNextPage: true,
      hasPreviousPage: true,
    });
    const third = await page(`limit=2&order=${order}&cursor=${second.pagination.nextCursor}`);
    expect(third.ids).toEqual([e]);
    expect(third.pagination).toEqual({
      cursor: d,
      limit: 2,
      nextCursor: null,
      previousCursor: b,
      hasNextPage: false,
      hasPreviousPage: true,
    });
    expect((await page(`limit=2&order=${order}&cursor=${third.pagination.previousCursor}`)).ids).toEqual([c, d]);
  });

  it('has no next page where the last one is full', async () => {
    expect((await page('limit=5')).pagination).toMatchObject({ nextCursor: null, hasNextPage: false });
  });

  it('goes on from an organization that is gone', async () => {
    const person = await app.person();
    const own: string[] = [];
    for (let n = 0; n < 5; n += 1) own.push(await organizationOf(person));
    const [a, b, c, d, e] = own;
    await person.delete(`/organizations/${b}`);
    const after = await page(`limit=2&order=asc&cursor=${b}`, person);
    expect(after).toMatchObject({ ids: [c, d], pagination: { nextCursor: d, hasPreviousPage: true } });
    await person.delete(`/organizations/${a}`);
    const start = await page(`limit=2&order=asc&cursor=${b}`, person);
    expect(start).toMatchObject({ ids: [c, d], pagination: { previousCursor: null, hasPreviousPage: false } });
    expect((await page('', person)).ids).toEqual([e, d, c]);
  });

  it('takes the largest limit', async () => {
    expect((await page('limit=200')).pagination.limit).toBe(200);
  });

  it('cuts to windows whose bounds are exclusive to the microsecond', async () => {
    const at = async (id: string | undefined) => (await owner.get(`/organizations/${id}`)).body.data;
    const [second, fourth] = [await at(ids[1]), await at(ids[3])];
    expect((await page(`createdAfter=${second.createdAt}&createdBefore=${fourth.createdAt}`)).ids).toEqual([ids[2]]);
    await owner.patch(`/organizations/${ids[0]}`, { name: 'Touched' });
    const touched = await at(ids[0]);
    expect((await page(`updatedAfter=${fourth.updatedAt}&order=asc`)).ids).toEqual([ids[0], ids[4]]);
    expect((await page(`updatedAfter=${touched.updatedAt}`)).ids).toEqual([]);
    expect((await page(`updatedBefore=${touched.updatedAt}`)).ids).toEqual(ids.slice(1).toReversed());
    const offset = '2000-01-01T02:00:00%2B02:00';
    expect((await page(`createdBefore=${offset}`)).ids).toEqual([]);
    expect((await page(`createdAfter=${offset}`)).ids).toHaveLength(5);
  });

  it('filters by status, repeatable', async () => {
    const person = await app.person();
    const [active, onboarding] = [await organizationOf(person), await organizationOf(person)];
    await app.db.query(`update organization set status = 'onboarding' where id = $1`, [onboarding]);
    expect((await page('', person)).ids).toEqual([onboarding, active]);
    expect((await page('status=onboarding', person)).ids).toEqual([onboarding]);
    expect((await page('status=active', person)).ids).toEqual([active]);
    expect((await page('status=active&status=onboarding', person)).ids).toEqual([onboarding, active]);
  });
});

describe('GET /organizations: 400', () => {
  it.each([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=201', 'limit', 'out_of_range'],
    ['limit=-1', 'limit', 'out_of_range'],
    ['limit=abc', 'limit', 'wrong_type'],
    ['limit=1.5', 'limit', 'wrong_type'],
    ['limit=', 'limit', 'wrong_type'],
    ['limit=1&limit=2', 'limit', 'wrong_type'],
    ['order=up', 'order', 'unknown_value'],
    ['status=deleting', 'status', 'invalid_item'],
    ['createdAfter=yesterday', 'createdAfter', 'invalid_timestamp'],
    ['createdAfter=2026-03-01T09:30:00', 'createdAfter', 'invalid_timestamp'],
    ['updatedBefore=2026-02-30T00:00:00Z', 'updatedBefore', 'invalid_timestamp'],
    ['cursor=abc', 'cursor', 'invalid_uuid'],
    ['color=red', 'color', 'unknown_property'],
    ['access_token=x', 'access_token', 'unknown_property'],
  ])('refuses ?%s', async (query, path, code) => {
    const { status, body } = await owner.get(`/organizations?${query}`);
    expect(status).toBe(400);
    expect(body.error.code).toBe('validation_failed');
    expect(body.error.issues).toEqual([expect.objectContaining({ path, code })]);
  });
});

describe('GET /organizations: 401', () => {
  it('wants an owner token', async () => {
    expect((await app.anonymous.get('/organizations')).status).toBe(401);
    expect((await app.service.get('/organizations')).status).toBe(401);
  });
});
