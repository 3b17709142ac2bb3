import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { attach, attachmentPath } from '../support/factories/attachments.ts';
import { createChat, postMessage } from '../support/factories/chats.ts';
import { costOf } from '../support/database/round-trips.ts';
import { useOrganization } from '../support/use-test-app.ts';

/** What the calls of people in chats cost the database; a write's last statement hands its entry to those who subscribed. */
const { owner, organization } = useOrganization();
let chatId: string;
let path: string;

beforeAll(async () => {
  chatId = await createChat(owner, organization.id);
  path = `/organizations/${organization.id}/chats/${chatId}`;
  // Notes when its token was used.
  await owner.get(path);
});

describe('round trips, and the statements of each', () => {
  it('reads: one', async () => {
    expect(await costOf(() => owner.get(path))).toEqual([3]);
    expect(await costOf(() => owner.get(`${path}/messages`))).toEqual([4]);
    expect(await costOf(() => owner.get(`/organizations/${organization.id}/chats?search=chat`))).toEqual([3]);
  });

  it('a change: enter, look, write, commit', async () => {
    expect(await costOf(() => owner.patch(path, { title: 'Renamed' }))).toEqual([3, 2, 3, 1]);
    expect(await costOf(() => owner.patch(path, { title: 'Renamed' }))).toEqual([3, 2, 1]);
  });

  it('a post: enter, look, write, commit', async () => {
    expect(await costOf(() => postMessage(owner, organization.id, chatId, 'Hello'), 202)).toEqual([3, 3, 5, 1]);
  });

  it('a refused post: enter, look, undo', async () => {
    expect(await costOf(() => postMessage(owner, organization.id, chatId, 'Hello'), 409)).toEqual([3, 3, 1]);
  });

  it('a cancel: enter, ask, note, commit', async () => {
    const [{ id }] = (await owner.get(`${path}/messages`)).body.data;
    const cancel = () => owner.post(`${path}/messages/${id}/cancel`);
    expect(await costOf(cancel)).toEqual([3, 3, 2, 1]);
    expect(await costOf(cancel)).toEqual([3, 3, 1]);
  });

  it('an attachment: begun and attached, each enter, look, write, commit', async () => {
    const place = { organizationId: organization.id, chatId };
    const id = randomUUID();
    expect(await costOf(() => attach(owner, place, { id }), 201)).toEqual([3, 2, 1, 1, 3, 2, 3, 1]);
    expect(await costOf(() => owner.get(`${attachmentPath(place, id)}/content`))).toEqual([3]);
  });

  it('a deletion: enter, look, write, withdraw items, cancel actions, commit', async () => {
    expect(await costOf(() => owner.delete(path))).toEqual([3, 2, 4, 1, 1, 1]);
  });
});
