import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let path: string;
let idOf: Record<string, string>;
/** Ids grow with time; those of one millisecond stand in any order, but always in the same. */
let oldestFirst: string[];

beforeAll(async () => {
  path = `/organizations/${await organizationOf(owner)}/agent-profiles`;
  for (const key of ['growth-ads', 'growth-seo'])
    await owner.post(path, { key, name: key, kind: 'department', department: 'growth', status: 'disabled' });
  const { body } = await owner.get(path);
  const profiles = body.data as { key: string; id: string }[];
  oldestFirst = profiles.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ key }) => key);
  idOf = Object.fromEntries(profiles.map(({ key, id }) => [key, id]));
});

const keys = ({ body }: Answer) => body.data.map(({ key }: { key: string }) => key);

describe('GET /organizations/{organizationId}/agent-profiles: 200', () => {
  it('lists newest first, on request oldest first', async () => {
    const answer = await owner.get(path);
    expect(answer.status).toBe(200);
    expect(keys(answer)).toEqual(oldestFirst.toReversed());
    expect(oldestFirst.slice(5)).toEqual(['growth-ads', 'growth-seo']);
    expect(oldestFirst).toHaveLength(7);
    expect(answer.body.pagination).toEqual({
      cursor: null,
      limit: 50,
      nextCursor: null,
      previousCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
    });
    expect(keys(await owner.get(`${path}?order=asc`))).toEqual(oldestFirst);
  });

  it('pages forward and back', async () => {
    const page = (cursor: string) => owner.get(`${path}?order=asc&limit=3${cursor && `&cursor=${cursor}`}`);
    const first = await page('');
    const second = await page(first.body.pagination.nextCursor);
    const third = await page(second.body.pagination.nextCursor);
    expect([...keys(first), ...keys(second), ...keys(third)]).toEqual(oldestFirst);
    expect(first.body.pagination).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(second.body.pagination).toMatchObject({ hasNextPage: true, hasPreviousPage: true, previousCursor: null });
    expect(third.body.pagination).toMatchObject({ hasNextPage: false, hasPreviousPage: true, nextCursor: null });
    expect(keys(await page(third.body.pagination.previousCursor))).toEqual(keys(second));
  });

  it.each([
    ['status=disabled', ['growth-seo', 'growth-ads']],
    ['status=disabled&status=enabled&kind=operator', ['operator']],
    ['kind=operator&kind=chat', ['chat', 'operator']],
    ['department=growth&status=enabled', ['growth']],
    ['department=support&department=engineering', ['support', 'engineering']],
    ['createdBefore=2020-01-01T00:00:00Z', []],
    ['updatedAfter=2999-01-01T00:00:00Z', []],
    ['createdAfter=2020-01-01T00:00:00%2B02:00&kind=chat', ['chat']],
  ])('filters by %s', async (query, expected) => {
    expect(keys(await owner.get(`${path}?${query}`)).sort()).toEqual(expected.sort());
  });

  it('continues behind a row that was deleted meanwhile, and hides that row', async () => {
    const [first, second] = [await owner.get(`${path}?limit=1`), await owner.get(`${path}?limit=2`)];
    await owner.delete(`${path}/${idOf['growth-seo']}`);
    const next = await owner.get(`${path}?limit=1&cursor=${first.body.pagination.nextCursor}`);
    expect(keys(first)).toEqual(['growth-seo']);
    expect(keys(next)).toEqual(keys(second).slice(1));
    expect(keys(await owner.get(path))).not.toContain('growth-seo');
  });
});

describe('GET /organizations/{organizationId}/agent-profiles: 400', () => {
  it.each([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=201', 'limit', 'out_of_range'],
    ['order=up', 'order', 'unknown_value'],
    ['status=gone', 'status', 'invalid_item'],
    ['kind=robot', 'kind', 'invalid_item'],
    ['department=sales', 'department', 'invalid_item'],
    ['createdAfter=yesterday', 'createdAfter', 'invalid_timestamp'],
    ['colour=red', 'colour', 'unknown_property'],
    ['cursor=abc', 'cursor', 'invalid_cursor'],
  ])('refuses %s', async (query, at, code) => {
    const { status, body } = await owner.get(`${path}?${query}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path: at, code }] });
  });

  it('refuses a cursor of other filters or of another organization', async () => {
    const { body } = await owner.get(`${path}?limit=1`);
    const cursor = `cursor=${body.pagination.nextCursor}`;
    const elsewhere = `/organizations/${await organizationOf(owner)}/agent-profiles`;
    for (const address of [`${path}?${cursor}&kind=chat`, `${path}?${cursor}&order=asc`, `${elsewhere}?${cursor}`]) {
      const answer = await owner.get(address);
      expect(answer.body.error).toMatchObject({ issues: [{ path: 'cursor', code: 'invalid_cursor' }] });
    }
  });
});

describe('GET /organizations/{organizationId}/agent-profiles: 401', () => {
  it('wants an owner', async () => {
    for (const client of [app.anonymous, app.service]) expect((await client.get(path)).status).toBe(401);
  });
});

describe('GET /organizations/{organizationId}/agent-profiles: 404', () => {
  it('knows nothing of an organization to those who are no member', async () => {
    const { status, body } = await (await app.person()).get(path);
    expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
  });
});
