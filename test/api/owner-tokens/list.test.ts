import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../../src/kernel/clock/index.ts';
import { type Client } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
/** The owner's five tokens, oldest first. */
let ids: string[];

beforeAll(async () => {
  ids = [owner.tokenId];
  for (let n = 0; n < 4; n += 1) ids.push((await owner.post('/owner-tokens', { name: `token ${n}` })).body.data.id);
});

async function page(query = '', client: Client = owner) {
  const { status, body } = await client.get(`/owner-tokens?${query}`);
  expect(status).toBe(200);
  return { ids: body.data.map(({ id }: { id: string }) => id), ...body.pagination };
}

describe('GET /owner-tokens: 200', () => {
  it('shows the tokens of the caller, newest first, without the tokens themselves', async () => {
    const { body } = await owner.get('/owner-tokens');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    expect(body.data[0]).toEqual({
      id: ids[4],
      name: 'token 3',
      subject: owner.subject,
      prefix: expect.stringMatching(/^brt_.{8}$/),
      organizationIds: null,
      scopes: ['read', 'work', 'decide', 'settings'],
      createdAt: expect.stringMatching(/\.\d{6}Z$/),
      expiresAt: null,
      lastUsedAt: null,
    });
  });

  it('shows those of others to the administrator only', async () => {
    const stranger = await app.person();
    expect((await page('', stranger)).ids).toEqual([stranger.tokenId]);
    expect((await page('limit=6', app.bootstrap)).ids).toEqual([stranger.tokenId, ...ids.toReversed()]);
  });

  it.each(['desc', 'asc'])('pages forwards and backwards, order %s', async (order) => {
    const [a, b, c, d, e] = order === 'asc' ? ids : ids.toReversed();
    const ask = (cursor?: string) => page(`limit=2&order=${order}${cursor ? `&cursor=${cursor}` : ''}`);
    expect(await ask()).toMatchObject({ ids: [a, b], nextCursor: b, previousCursor: null, hasPreviousPage: false });
    expect(await ask(b)).toMatchObject({ ids: [c, d], nextCursor: d, previousCursor: null, hasPreviousPage: true });
    expect(await ask(d)).toMatchObject({ ids: [e], nextCursor: null, previousCursor: b, hasNextPage: false });
  });

  it('goes on from a token that is gone', async () => {
    const person = await app.person();
    const own = [];
    for (let n = 0; n < 3; n += 1) own.push((await person.post('/owner-tokens', { name: 'x' })).body.data.id);
    await person.delete(`/owner-tokens/${own[1]}`);
    expect((await page(`cursor=${own[1]}`, person)).ids).toEqual([own[0], person.tokenId]);
  });

  it('says when a token was last used, to the minute', async () => {
    const clock = jest.spyOn(app.app.get(Clock), 'monotonicMs');
    try {
      let nowMs = 0;
      clock.mockImplementation(() => nowMs);
      const { id, token } = (await owner.post('/owner-tokens', { name: 'watched' })).body.data;
      const lastUsedAt = async () => {
        const { body } = await owner.get('/owner-tokens?limit=1');
        expect(body.data[0].id).toBe(id);
        return body.data[0].lastUsedAt as string | null;
      };
      /** Uses the token when the process has forgotten whose it is. */
      const use = async () => {
        nowMs += 10_000;
        expect((await app.client(token).get('/organizations')).status).toBe(200);
      };
      expect(await lastUsedAt()).toBeNull();
      await use();
      const first = await lastUsedAt();
      expect(first).toMatch(/\.\d{6}Z$/);
      await use();
      expect(await lastUsedAt()).toBe(first);
      await app.db.query(`update owner_token set last_used_at = last_used_at - interval '61 s' where id = $1`, [id]);
      await use();
      expect((await lastUsedAt())! > first!).toBe(true);
      await owner.delete(`/owner-tokens/${id}`);
    } finally {
      clock.mockRestore();
    }
  });
});

describe('GET /owner-tokens: 400', () => {
  it.each([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=201', 'limit', 'out_of_range'],
    ['limit=abc', 'limit', 'wrong_type'],
    ['cursor=abc', 'cursor', 'invalid_uuid'],
    ['subject=bootstrap', 'subject', 'unknown_property'],
  ])('refuses ?%s', async (query, path, code) => {
    const { status, body } = await owner.get(`/owner-tokens?${query}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path, code }] });
  });
});
