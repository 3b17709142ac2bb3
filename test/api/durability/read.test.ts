import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);
let ids: string[];

const at = (minute: number) => `2026-03-01T09:0${minute}:00.000000Z`;

beforeAll(async () => {
  ids = [randomUUID(), randomUUID()].toSorted();
  const [a, b] = ids;
  const rows = [
    ['chat', b],
    ['task', a],
    ['task', `${a}.b`],
    ['task', `${a}.c`],
    ['task', b],
  ];
  for (const [index, [namespace, key]] of rows.entries())
    await app.db.query(
      `insert into durability_row (organization_id, namespace, key, kind, version, payload, updated_at) values ($1, $2, $3, 'draft', 1, '{}', $4)`,
      [place.organizationId, namespace, key, at(index)],
    );
});

const list = (query = '') => place.owner.get(place.path(`/durability?${query}`));
const cursors = ({ body }: Answer): string[] =>
  body.data.map(({ namespace, key }: { namespace: string; key: string }) => `${namespace}:${key}`);
const inOrder = () => [`chat:${ids[1]}`, ...[ids[0], `${ids[0]}.b`, `${ids[0]}.c`, ids[1]].map((key) => `task:${key}`)];

describe('GET /organizations/{organizationId}/durability: 200', () => {
  it('lists by namespace and key, on request backwards', async () => {
    expect(cursors(await list())).toEqual(inOrder());
    expect(cursors(await list('order=desc'))).toEqual(inOrder().toReversed());
  });

  it('pages forward and back, by the last row of the page before', async () => {
    const first = await list('limit=2');
    expect(first.body.pagination.nextCursor).toBe(inOrder()[1]);
    const second = await list(`limit=2&cursor=${first.body.pagination.nextCursor}`);
    const third = await list(`limit=2&cursor=${second.body.pagination.nextCursor}`);
    expect([first, second, third].flatMap(cursors)).toEqual(inOrder());
    expect(third.body.pagination).toMatchObject({ hasNextPage: false, previousCursor: inOrder()[1] });
  });

  it('goes on behind a row that is not there', async () => {
    expect(cursors(await list(`cursor=task:${ids[0]}.bb`))).toEqual(inOrder().slice(3));
  });

  it('filters by namespace and window', async () => {
    expect(cursors(await list('namespace=chat'))).toEqual(inOrder().slice(0, 1));
    expect(cursors(await list(`updatedAfter=${at(1)}&updatedBefore=${at(4)}`))).toEqual(inOrder().slice(2, 4));
  });
});

describe('GET /organizations/{organizationId}/durability: 400', () => {
  it.each(['cursor=task', 'cursor=run:1', 'cursor=task:draft', 'namespace=run', 'updatedAfter=yesterday', 'limit=0'])(
    'refuses %s',
    async (query) => {
      expect((await list(query)).body.error.code).toBe('validation_failed');
    },
  );
});

describe('GET /organizations/{organizationId}/durability: 404', () => {
  it('answers `organization_not_found` to those who are no member', async () => {
    const stranger = await app.person();
    expect((await stranger.get(place.path('/durability'))).body.error.code).toBe('organization_not_found');
  });
});

describe('GET /organizations/{organizationId}/durability/{namespace}/{key}', () => {
  const read = (namespace: string, key: string, client = place.owner) =>
    client.get(place.path(`/durability/${namespace}/${key}`));

  it('200: shows a row', async () => {
    const { status, body } = await read('task', `${ids[0]}.b`);
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ namespace: 'task', key: `${ids[0]}.b`, version: 1, payload: {}, sourceRunId: null }),
    ]);
  });

  it('400: wants a namespace and a key of the right form', async () => {
    for (const [namespace, key] of [
      ['run', ids[0]!],
      ['task', 'draft'],
    ] as const)
      expect((await read(namespace, key)).status).toBe(400);
  });

  it('401: wants an owner', async () => {
    for (const client of [app.anonymous, app.service]) expect((await read('task', ids[0]!, client)).status).toBe(401);
  });

  it('404: answers `durability_row_not_found`', async () => {
    const { status, body } = await read('chat', ids[0]!);
    expect([status, body.error.code]).toEqual([404, 'durability_row_not_found']);
  });
});
