import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { awaitedAnswer, createChat, postMessage, changeAnswer } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ ownedBy: 'Ada' });
let chatId: string;
let path: string;
beforeEach(async () => {
  chatId = await createChat(owner, organization.id, 'Before');
  path = `/organizations/${organization.id}/chats/${chatId}`;
});

const read = async () => (await owner.get(path)).body.data;
const verbs = async () => {
  const log = await owner.get(`/organizations/${organization.id}/activity?subjectId=${chatId}&order=asc`);
  return log.body.data.map(({ verb, details }: { verb: string; details: object }) => [verb, details]);
};

describe('PATCH /organizations/{organizationId}/chats/{id}: 200', () => {
  it('renames, and changes nothing else', async () => {
    const before = await read();
    const { status, body } = await owner.patch(path, { title: ' After ' });
    expect([status, body.message]).toEqual([200, 'Chat updated']);
    expect(body.data).toEqual({ ...before, title: 'After', updatedAt: body.data.updatedAt });
    expect(body.data.updatedAt > before.updatedAt).toBe(true);
    expect(await read()).toEqual(body.data);
    expect(await verbs()).toEqual([
      ['chat.created', {}],
      ['chat.updated', { changed: ['title'] }],
    ]);
  });

  it('archives with the server’s time, and restores', async () => {
    const archived = (await owner.patch(path, { status: 'archived' })).body.data;
    expect(archived).toMatchObject({ status: 'archived', archivedAt: archived.updatedAt });
    const restored = (await owner.patch(path, { status: 'open', title: 'Again' })).body.data;
    expect(restored).toMatchObject({ status: 'open', archivedAt: null, title: 'Again' });
    expect((await verbs()).slice(1)).toEqual([
      ['chat.archived', { changed: ['status'] }],
      ['chat.restored', { changed: ['title', 'status'] }],
    ]);
  });

  it('leaves what is so already as it is, without a trace', async () => {
    await owner.patch(path, { status: 'archived' });
    const before = await read();
    for (const body of [{}, { settings: {} }, { status: 'archived', title: 'Before', settings: { pinnedTaskIds: [] } }])
      expect((await owner.patch(path, body)).body.data).toEqual(before);
    expect(await verbs()).toHaveLength(2);
  });

  it('pins tasks, in order and once each', async () => {
    const [one, two] = [await createTask(owner, organization.id), await createTask(owner, organization.id)];
    const pinned = [two.id, one.id.toUpperCase(), two.id.toUpperCase()];
    const { body } = await owner.patch(path, { settings: { pinnedTaskIds: pinned } });
    expect(body.data.settings).toEqual({ pinnedTaskIds: [two.id, one.id] });
    expect((await owner.patch(path, { title: 'Still pinned' })).body.data.settings.pinnedTaskIds).toHaveLength(2);
    expect((await owner.patch(path, { settings: { pinnedTaskIds: [] } })).body.data.settings.pinnedTaskIds).toEqual([]);
  });

  it('renames while an answer is being written, and archives once it has ended', async () => {
    const answer = await awaitedAnswer(owner, organization.id, chatId);
    expect((await owner.patch(path, { title: 'While' })).status).toBe(200);
    await changeAnswer(app, answer, { status: 'complete' });
    expect((await owner.patch(path, { status: 'archived' })).status).toBe(200);
  });
});

describe('PATCH /organizations/{organizationId}/chats/{id}: 400', () => {
  it.each([
    [{ title: '' }, 'title', 'invalid_length'],
    [{ title: 'x'.repeat(201) }, 'title', 'invalid_length'],
    [{ title: null }, 'title', 'wrong_type'],
    [{ status: 'closed' }, 'status', 'unknown_value'],
    [{ summary: 'x' }, 'summary', 'unknown_property'],
    [{ archivedAt: null }, 'archivedAt', 'unknown_property'],
    [{ settings: { color: 'red' } }, 'settings.color', 'unknown_property'],
    [{ settings: { pinnedTaskIds: ['OPS-1'] } }, 'settings.pinnedTaskIds', 'invalid_item'],
    [
      { settings: { pinnedTaskIds: Array.from({ length: 51 }, () => randomUUID()) } },
      'settings.pinnedTaskIds',
      'invalid_length',
    ],
  ])('for %j', async (body, at, code) => {
    const answer = await owner.patch(path, body);
    expect([answer.status, answer.body.error.issues]).toMatchObject([400, [{ path: at, code }]]);
  });

  it('for a task that is unknown, or another organization’s', async () => {
    const { id } = await createTask(owner, organization.id);
    const elsewhere = await createTask(owner, await organizationOf(owner));
    const pinnedTaskIds = [id, elsewhere.id, randomUUID()];
    const { status, body } = await owner.patch(path, { title: 'After', settings: { pinnedTaskIds } });
    expect([status, body.error.issues]).toMatchObject([
      400,
      [1, 2].map((index) => ({ path: `settings.pinnedTaskIds.${index}`, code: 'unknown_reference' })),
    ]);
    expect((await read()).title).toBe('Before');
  });
});

describe('PATCH /organizations/{organizationId}/chats/{id}: 404', () => {
  it('for one that is unknown, deleted, or another organization’s', async () => {
    const gone = await createChat(owner, organization.id);
    await owner.delete(`/organizations/${organization.id}/chats/${gone}`);
    const elsewhere = await createChat(owner, await organizationOf(owner));
    for (const id of [randomUUID(), gone, elsewhere]) {
      const { status, body } = await owner.patch(`/organizations/${organization.id}/chats/${id}`, { title: 'x' });
      expect([status, body.error.code]).toEqual([404, 'chat_not_found']);
    }
  });
});

describe('PATCH /organizations/{organizationId}/chats/{id}: 409', () => {
  it.each(['pending', 'streaming', 'cancelling'])('does not archive while an answer is %s', async (status) => {
    const answer = await awaitedAnswer(owner, organization.id, chatId);
    await changeAnswer(app, answer, { status });
    const before = await read();
    const refused = await owner.patch(path, { status: 'archived', title: 'After' });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'chat_response_active']);
    expect(await read()).toEqual(before);
  });

  it.each([{ title: 'x' }, { status: 'archived' }, { status: 'open' }, {}])(
    'does not change the onboarding chat: %j',
    async (change) => {
      const { shell, path: onboarding } = await onboardingChat();
      for (const status of ['active', 'onboarding']) {
        await app.db.query(`update organization set status = $2 where id = $1`, [shell, status]);
        const { status: answered, body } = await owner.patch(onboarding, change);
        expect([answered, body.error.code]).toEqual([409, 'onboarding_chat_immutable']);
      }
    },
  );
});

describe('an archived chat', () => {
  it('takes messages again once it is restored', async () => {
    await owner.patch(path, { status: 'archived' });
    expect((await postMessage(owner, organization.id, chatId, 'x')).status).toBe(409);
    await owner.patch(path, { status: 'open' });
    expect((await postMessage(owner, organization.id, chatId, 'x')).status).toBe(202);
  });
});

async function onboardingChat(): Promise<{ shell: string; path: string }> {
  const shell = await organizationOf(owner);
  const id = await createChat(owner, shell);
  await app.db.query(`update chat set is_onboarding_chat = true where id = $1`, [id]);
  return { shell, path: `/organizations/${shell}/chats/${id}` };
}
