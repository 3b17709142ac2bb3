import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ ownedBy: 'Ada' });
let path: string;

beforeAll(() => {
  path = `/organizations/${organization.id}/chats`;
});

describe('POST /organizations/{organizationId}/chats: 201', () => {
  it('makes an open chat without messages', async () => {
    const { status, body } = await owner.post(path, { title: '  Launch   in March ' });
    expect([status, body.message]).toEqual([201, 'Chat created']);
    expect(body.data).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      title: 'Launch in March',
      status: 'open',
      summary: null,
      harnessSessionId: null,
      settings: { pinnedTaskIds: [] },
      lastMessageAt: null,
      archivedAt: null,
      isOnboardingChat: false,
      createdAt: expect.stringMatching(/^\d{4}-.+\.\d{6}Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await owner.get(`${path}/${body.data.id}`)).body.data).toEqual(body.data);
    expect((await owner.get(`${path}/${body.data.id}/messages`)).body.data).toEqual([]);
  });

  it('stands in the activity log', async () => {
    const { id } = (await owner.post(path, { title: 'Noted' })).body.data;
    const log = (await owner.get(`/organizations/${organization.id}/activity?verb=chat.created&subjectId=${id}`)).body;
    expect(log.data).toMatchObject([
      { actor: { kind: 'owner', name: 'Ada' }, subject: { kind: 'chat', id, label: 'Noted' } },
    ]);
  });

  it('counts the characters of a title as Unicode does', async () => {
    expect((await owner.post(path, { title: '😀'.repeat(200) })).status).toBe(201);
    expect((await owner.post(path, { title: '😀'.repeat(201) })).status).toBe(400);
  });

  it('is made once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [one, again] = [
      await owner.post(path, { title: 'Once' }, headers),
      await owner.post(path, { title: ' Once' }, headers),
    ];
    expect([again.status, again.body.data]).toEqual([201, one.body.data]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const other = await owner.post(path, { title: 'Twice' }, headers);
    expect([other.status, other.body.error.code]).toEqual([409, 'state_conflict']);
  });
});

describe('POST /organizations/{organizationId}/chats: 400', () => {
  it.each([
    ['no title', {}, 'title', 'required'],
    ['an empty one', { title: ' ' }, 'title', 'invalid_length'],
    ['a number', { title: 5 }, 'title', 'wrong_type'],
    ['null', { title: null }, 'title', 'wrong_type'],
    ['a status', { title: 'x', status: 'archived' }, 'status', 'unknown_property'],
  ])('for %s', async (_what, body, at, code) => {
    const answer = await owner.post(path, body);
    expect([answer.status, answer.body.error]).toMatchObject([
      400,
      { code: 'validation_failed', issues: [{ path: at, code }] },
    ]);
  });
});

describe('POST /organizations/{organizationId}/chats: 401, 404 and 409', () => {
  it('wants an owner', async () => {
    for (const client of [app.anonymous, app.service]) {
      const { status, body } = await client.post(path, { title: 'x' });
      expect([status, body.error.code]).toEqual([401, 'owner_unauthorized']);
    }
  });

  it('knows no organization of others', async () => {
    const { status, body } = await (await app.person()).post(path, { title: 'x' });
    expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
  });

  it('is refused while the organization is being onboarded', async () => {
    const shell = await organizationOf(owner);
    await app.db.query(`update organization set status = 'onboarding' where id = $1`, [shell]);
    const { status, body } = await owner.post(`/organizations/${shell}/chats`, { title: 'x' });
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });
});

describe('the administrator', () => {
  it('may do it too, and each use is counted', async () => {
    const elsewhere = await organizationOf(owner);
    const { status } = await app.bootstrap.post(`/organizations/${elsewhere}/chats`, { title: 'By bootstrap' });
    expect(status).toBe(201);
    const log = (await owner.get(`/organizations/${elsewhere}/activity?verb=bootstrap.used`)).body.data;
    expect(log).toMatchObject([{ actor: { id: 'bootstrap' }, details: { count: 1 } }]);
  });
});
