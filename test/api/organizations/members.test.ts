import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer, type Client, organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let id: string;
beforeEach(async () => {
  id = await organizationOf(owner);
});

const pathOf = (subject: string) => `/organizations/${id}/members/${encodeURIComponent(subject)}`;
const add = (subject: string, by: Client = owner, role = 'owner') => by.put(pathOf(subject), { role });
const remove = (subject: string, by: Client = owner) => by.delete(pathOf(subject));
const subjects = ({ body }: Answer): string[] => body.data.map(({ subject }: { subject: string }) => subject);
const list = (query = '') => owner.get(`/organizations/${id}/members?${query}`);
async function log(): Promise<string[][]> {
  const { body } = await owner.get(`/organizations/${id}/activity?subjectKind=member&order=asc`);
  return body.data.map(({ verb, subject }: { verb: string; subject: { id: string } }) => [verb, subject.id]);
}

function expectError({ status, body }: Answer, expected: number, code: string): void {
  expect([status, body.error.code]).toEqual([expected, code]);
}

describe('PUT …/members/{subject}: 200', () => {
  it('lets somebody in, once', async () => {
    const friend = await app.person();
    const { status, body } = await add(friend.subject);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      subject: friend.subject,
      role: 'owner',
      addedBy: owner.subject,
      createdAt: expect.stringMatching(/\.\d{6}Z$/),
    });
    expect((await friend.get(`/organizations/${id}`)).status).toBe(200);
    expect((await add(friend.subject, friend)).body.data).toEqual(body.data);
    expect(subjects(await list())).toEqual([friend.subject, owner.subject]);
    expect(await log()).toEqual([['member.added', friend.subject]]);
  });

  it('makes an owner a viewer and a viewer an owner, from the answer on', async () => {
    const friend = await app.person();
    const { body } = await add(friend.subject, owner, 'viewer');
    expect(body.data).toMatchObject({ subject: friend.subject, role: 'viewer', addedBy: owner.subject });
    const rename = () => friend.patch(`/organizations/${id}`, { name: 'Acme' });
    expect((await friend.get(`/organizations/${id}`)).status).toBe(200);
    expectError(await rename(), 401, 'owner_unauthorized');
    expect((await add(friend.subject)).body.data).toEqual({ ...body.data, role: 'owner' });
    expect((await rename()).status).toBe(200);
    await add(friend.subject, owner, 'viewer');
    await add(friend.subject, owner, 'viewer');
    expectError(await rename(), 401, 'owner_unauthorized');
    expect(subjects(await list())).toEqual([friend.subject, owner.subject]);
    expect(await log()).toEqual([
      ['member.added', friend.subject],
      ['member.role_changed', friend.subject],
      ['member.role_changed', friend.subject],
    ]);
    const { body: changes } = await owner.get(`/organizations/${id}/activity?verb=member.role_changed`);
    expect(changes.data.map(({ details }: { details: object }) => details)).toEqual([
      { role: 'viewer' },
      { role: 'owner' },
    ]);
  });

  it.each([
    'bootstrap',
    'oidc:https://login.example/realms/acme/|user/7',
    'oidc:https://login.example|50%25',
    'oidc:https://login.acme.example/|idp|5f7c8ec7c33c6c004bbafe82',
  ])('takes %s, percent-encoded', async (subject) => {
    expect((await add(subject)).body.data.subject).toBe(subject);
    expect(subjects(await list())).toEqual([subject, owner.subject]);
    expect((await remove(subject)).body.data.subject).toBe(subject);
    expect(subjects(await list())).toEqual([owner.subject]);
  });
});

describe('DELETE …/members/{subject}: 200', () => {
  it('shuts somebody out at once', async () => {
    const friend = await app.person();
    const added = await add(friend.subject);
    const { status, body } = await remove(friend.subject);
    expect(status).toBe(200);
    expect(body.data).toEqual(added.body.data);
    expectError(await friend.get(`/organizations/${id}`), 404, 'organization_not_found');
    expectError(await friend.patch(`/organizations/${id}`, { name: 'X' }), 404, 'organization_not_found');
    expect((await friend.get('/organizations')).body.data).toEqual([]);
    expect(await log()).toEqual([
      ['member.added', friend.subject],
      ['member.removed', friend.subject],
    ]);
  });

  it('lets anybody go, the creator too', async () => {
    const friend = await app.person();
    await add(friend.subject);
    expect((await remove(owner.subject)).status).toBe(200);
    expectError(await owner.get(`/organizations/${id}`), 404, 'organization_not_found');
    expect(subjects(await friend.get(`/organizations/${id}/members`))).toEqual([friend.subject]);
  });
});

describe('GET …/members: 200', () => {
  it('pages in the order in which they came', async () => {
    for (let n = 0; n < 4; n += 1) await add(`token:${randomUUID()}`);
    const [a, b, c, d, e] = subjects(await list());
    expect(e).toBe(owner.subject);
    const first = await list('limit=2');
    expect(subjects(first)).toEqual([a, b]);
    const second = await list(`limit=2&cursor=${first.body.pagination.nextCursor}`);
    expect(subjects(second)).toEqual([c, d]);
    expect(second.body.pagination).toMatchObject({ previousCursor: null, hasPreviousPage: true, hasNextPage: true });
    const third = await list(`limit=2&cursor=${second.body.pagination.nextCursor}`);
    expect(subjects(third)).toEqual([e]);
    expect(third.body.pagination).toMatchObject({ nextCursor: null, hasNextPage: false, hasPreviousPage: true });
    expect(subjects(await list(`limit=2&cursor=${third.body.pagination.previousCursor}`))).toEqual([c, d]);
    await remove(b!);
    expect(subjects(await list(`limit=2&cursor=${first.body.pagination.nextCursor}`))).toEqual([c, d]);
    expect(subjects(await list('order=asc'))).toEqual([e, d, c, a]);
  });
});

describe('members: 400', () => {
  it.each([
    'somebody',
    'Bootstrap',
    'token:',
    'token:1234',
    'oidc:https://login.example',
    'oidc:login.example|me',
    'oidc:https://login.example|',
    'oidc:https://login.example|a b',
    `oidc:https://login.example|${'x'.repeat(500)}`,
  ])('refuses the subject %s', async (subject) => {
    for (const answer of [await add(subject), await remove(subject)]) {
      expectError(answer, 400, 'validation_failed');
      expect(answer.body.error.issues).toMatchObject([{ path: 'subject', code: 'invalid_subject' }]);
    }
  });

  it.each<[object, string, string]>([
    [{}, 'role', 'required'],
    [{ role: 'admin' }, 'role', 'unknown_value'],
    [{ role: 'owner', addedBy: 'bootstrap' }, 'addedBy', 'unknown_property'],
  ])('refuses %j', async (body, path, code) => {
    const answer = await owner.put(pathOf(`token:${randomUUID()}`), body);
    expectError(answer, 400, 'validation_failed');
    expect(answer.body.error.issues).toMatchObject([{ path, code }]);
  });

  it('refuses a cursor that was altered or belongs to another order or organization', async () => {
    await add('bootstrap');
    const { nextCursor } = (await list('limit=1')).body.pagination;
    const other = await organizationOf(owner);
    for (const answer of [
      await list(`cursor=${nextCursor.slice(0, -4)}`),
      await list(`cursor=x${nextCursor}`),
      await list(`cursor=${nextCursor}&order=asc`),
      await owner.get(`/organizations/${other}/members?cursor=${nextCursor}`),
    ]) {
      expectError(answer, 400, 'validation_failed');
      expect(answer.body.error.issues).toMatchObject([{ path: 'cursor', code: 'invalid_cursor' }]);
    }
  });
});

describe('members: 401', () => {
  it('not_in_scope for a viewer, who may not even leave', async () => {
    const viewer = await app.person();
    await add(viewer.subject, owner, 'viewer');
    for (const answer of [
      await add(viewer.subject, viewer),
      await add(`token:${randomUUID()}`, viewer),
      await add(owner.subject, viewer, 'viewer'),
      await remove(viewer.subject, viewer),
      await remove(owner.subject, viewer),
    ]) {
      expectError(answer, 401, 'owner_unauthorized');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.body.error.issues).toMatchObject([{ path: 'authorization', code: 'not_in_scope' }]);
    }
    expect(subjects(await list())).toEqual([viewer.subject, owner.subject]);
    const log = readFileSync(join(process.env.TEST_FOLDER!, `${process.pid}.jsonl`), 'utf8');
    const lines = log.split('\n').filter((line) => line.includes('"status":401') && line.includes(viewer.subject));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ caller: viewer.subject, organizationId: id, status: 401 }),
    );
  });
});

describe('members: 404', () => {
  it('not_found for somebody who is no member', async () => {
    expectError(await remove(`token:${randomUUID()}`), 404, 'not_found');
  });

  it('organization_not_found for those who do not belong to it', async () => {
    const stranger = await app.person();
    expectError(await stranger.get(`/organizations/${id}/members`), 404, 'organization_not_found');
    expectError(await add(stranger.subject, stranger), 404, 'organization_not_found');
    expectError(await remove(owner.subject, stranger), 404, 'organization_not_found');
    expect(subjects(await list())).toEqual([owner.subject]);
  });
});

describe('members: 409', () => {
  it('keeps the last owner, also from the administrator, however many only read', async () => {
    const viewer = `token:${randomUUID()}`;
    await add(viewer, owner, 'viewer');
    for (const by of [owner, app.bootstrap]) {
      expectError(await remove(owner.subject, by), 409, 'state_conflict');
      expectError(await add(owner.subject, by, 'viewer'), 409, 'state_conflict');
    }
    expect(await log()).toEqual([['member.added', viewer]]);
    expect((await remove(viewer)).status).toBe(200);
  });

  it('while the organization is being onboarded', async () => {
    const friend = `token:${randomUUID()}`;
    await add(friend);
    await app.db.query(`update organization set status = 'onboarding' where id = $1`, [id]);
    expectError(await add('bootstrap'), 409, 'state_conflict');
    expectError(await remove(friend), 409, 'state_conflict');
  });
});
