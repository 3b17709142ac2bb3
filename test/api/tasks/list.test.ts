import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, organizationOf } from '../../support/client.ts';
import { createTask, endTask, type ShownTask } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
let path: string;
const byTitle: Record<string, ShownTask> = {};

beforeAll(async () => {
  path = `/organizations/${organization.id}/tasks`;
  const make = async (title: string, overrides: Record<string, unknown> = {}) => {
    byTitle[title] = await createTask(owner, organization.id, { title, ...overrides });
  };
  await make('Alpha', { ownerAgentProfileKey: 'growth', phase: 'plan' });
  await make('Beta', { parentRef: byTitle.Alpha!.id, priority: 5 });
  await make('Gamma', { dependsOn: [{ taskRef: byTitle.Alpha!.id }] });
  await make('Delta', { parentRef: byTitle.Beta!.id });
  await endTask(app, organization.id, byTitle.Delta!.id, 'failed');
});

const titles = ({ body }: Answer) => body.data.map(({ title }: { title: string }) => title);
const ids = () => Object.fromEntries(Object.entries(byTitle).map(([title, { id }]) => [title, id]));

describe('GET /organizations/{organizationId}/tasks: 200', () => {
  it.each([
    ['Überprüfung', 'u\u0308berpru\u0308fung'],
    ['U\u0308berpru\u0308fung', 'ÜBERPRÜFUNG'],
    ['Große Straße', 'grosse STRASSE'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['İstanbul', 'I\u0307stanbul'],
    ['Plan for April', ' plan\u00A0 for  april '],
    ['Café Zürich', 'CAFE\u0301  zu\u0308'],
    ['ガクシ', 'カ\u3099ク'],
  ])('finds %j by %j', async (kept, sought) => {
    const elsewhere = await organizationOf(owner);
    for (const title of [kept, 'Other']) await createTask(owner, elsewhere, { title });
    const found = await owner.get(`/organizations/${elsewhere}/tasks?search=${encodeURIComponent(sought)}`);
    expect(titles(found)).toEqual([kept.normalize('NFC')]);
  });

  it('pages through what a search finds, in whatever form the pages name it', async () => {
    const elsewhere = await organizationOf(owner);
    for (const title of ['Café 1', 'Café 2']) await createTask(owner, elsewhere, { title });
    const page = (search: string, cursor = '') =>
      owner.get(`/organizations/${elsewhere}/tasks?limit=1&search=${encodeURIComponent(search)}&cursor=${cursor}`);
    const first = await page('café ');
    const second = await page('cafe\u0301', first.body.pagination.nextCursor);
    expect([titles(first), titles(second)]).toEqual([['Café 2'], ['Café 1']]);
  });

  it('lists the newest first, as each is read', async () => {
    const answer = await owner.get(path);
    expect(titles(answer)).toEqual(['Delta', 'Gamma', 'Beta', 'Alpha']);
    for (const task of answer.body.data) expect((await owner.get(`${path}/${task.id}`)).body.data).toEqual(task);
    expect(answer.body.pagination).toMatchObject({ limit: 50, hasNextPage: false, hasPreviousPage: false });
  });

  it('pages in both directions', async () => {
    const first = await owner.get(`${path}?limit=2&order=asc`);
    const second = await owner.get(`${path}?limit=2&order=asc&cursor=${first.body.pagination.nextCursor}`);
    expect([titles(first), titles(second)]).toEqual([
      ['Alpha', 'Beta'],
      ['Gamma', 'Delta'],
    ]);
    expect(second.body.pagination).toMatchObject({ nextCursor: null, hasPreviousPage: true, previousCursor: null });
  });

  it.each<[string, string[]]>([
    ['status=failed&status=blocked', ['Delta', 'Gamma']],
    ['kind=task&phase=plan', ['Alpha']],
    ['kind=learning', []],
    ['priority=5', ['Beta']],
    ['priority=-5', []],
    ['parentId=Alpha', ['Beta']],
    ['rootTaskId=Alpha', ['Delta', 'Beta', 'Alpha']],
    ['search=LPH', ['Alpha']],
    ['search=%25', []],
    [`sourceChatId=${randomUUID()}`, []],
    ['createdAfter=2999-01-01T00:00:00Z', []],
    ['updatedAfter=2020-01-01T00:00:00Z&status=pending&order=asc', ['Alpha', 'Beta']],
  ])('filters by %s', async (query, expected) => {
    const named = query.replace(/Id=([A-Z]\w+)$/, (_, title: string) => `Id=${ids()[title]}`);
    expect(titles(await owner.get(`${path}?${named}`))).toEqual(expected);
  });

  it('filters by owner profile', async () => {
    const [profile] = (await owner.get(`/organizations/${organization.id}/agent-profiles?department=growth`)).body.data;
    expect(titles(await owner.get(`${path}?ownerAgentProfileId=${profile.id}`))).toEqual(['Alpha']);
  });
});

describe('GET /organizations/{organizationId}/tasks: 400, 401 and 404', () => {
  it.each([
    ['status=gone', 'status', 'invalid_item'],
    ['phase=think', 'phase', 'invalid_item'],
    ['priority=1001', 'priority', 'out_of_range'],
    ['parentId=ENG-1', 'parentId', 'invalid_uuid'],
    [`search=${'x'.repeat(201)}`, 'search', 'invalid_length'],
    ['cursor=abc', 'cursor', 'invalid_cursor'],
    ['limit=0', 'limit', 'out_of_range'],
  ])('refuses %s', async (query, at, code) => {
    const { status, body } = await owner.get(`${path}?${query}`);
    expect([status, body.error.issues]).toMatchObject([400, [{ path: at, code }]]);
  });

  it('wants an owner who belongs to it', async () => {
    expect((await app.service.get(path)).status).toBe(401);
    expect((await (await app.person()).get(path)).body.error.code).toBe('organization_not_found');
  });
});

describe('GET /organizations/{organizationId}/tasks/{taskRef}', () => {
  it('finds it by id and identifier, in any case', async () => {
    const { id, identifier } = byTitle.Alpha!;
    for (const ref of [id, id.toUpperCase(), identifier, identifier.toLowerCase()])
      expect((await owner.get(`${path}/${ref}`)).body.data.id).toBe(id);
  });

  it.each([randomUUID(), 'OPS-999', 'ABC-1', 'ENG-2147483647'])('does not find %s', async (ref) => {
    const { status, body } = await owner.get(`${path}/${ref}`);
    expect([status, body.error.code]).toEqual([404, 'task_not_found']);
  });

  it.each(['OPS', 'OPS-01', 'OPS-', 'OPS-99999999999', 'OPSX-1'])('refuses %s', async (ref) => {
    const { status, body } = await owner.get(`${path}/${ref}`);
    expect([status, body.error.issues]).toMatchObject([400, [{ path: 'taskRef', code: 'invalid_task_ref' }]]);
  });

  it('finds none of another organization', async () => {
    const elsewhere = await createTask(owner, await organizationOf(owner));
    expect((await owner.get(`${path}/${elsewhere.id}`)).status).toBe(404);
  });
});
