import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStreams } from '../../../src/kernel/http/sse/index.ts';
import { ChatSignalsService } from '../../../src/modules/chats/chat-signals.service.ts';
import { Answer } from '../../support/factories/answers.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { organizationOf, type Person } from '../../support/client.ts';
import { EventReader, eventsPath, listening } from '../../support/event-reader.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** One process streams, the other one is told of what ends a stream. */
const app = useTestApp();
const other = useTestApp();
let baseUrl: string;
let owner: Person;
let member: Person;
let place: { organizationId: string; chatId: string };

beforeAll(async () => {
  baseUrl = await listening(app);
});
beforeEach(async () => {
  [owner, member] = [await app.person(), await app.person()];
  const organizationId = await organizationOf(owner);
  place = { organizationId, chatId: await firstChat(app, organizationId) };
  await owner.put(`/organizations/${organizationId}/members/${member.subject}`, { role: 'owner' });
});

const follow = (token = owner.token) => EventReader.open(baseUrl, eventsPath(place), { token });

/** What happens to somebody else does not end a stream: the owner's own goes on. */
async function endsForTheMemberOnly(end: () => Promise<unknown>): Promise<void> {
  const answer = await Answer.post(app, place);
  const [mine, theirs] = [await follow(), await follow(member.token)];
  await Promise.all([mine, theirs].map((reader) => reader.reaches(answer.eventId)));
  await end();
  await theirs.untilEnded();
  expect(theirs.comments.at(-1)).toBe('you may not read this any more');
  await answer.append('Only for those who may.');
  await mine.reaches(answer.eventId);
  expect([mine.ended, theirs.ids]).toEqual([false, [`${answer.id}:1`]]);
  mine.close();
}

describe('a stream ends', () => {
  it('when the token behind it is revoked', async () => {
    await endsForTheMemberOnly(() => other.bootstrap.delete(`/owner-tokens/${member.tokenId}`));
    expect((await follow(member.token)).status).toBe(401);
  });

  it('when the token behind it expires', () =>
    endsForTheMemberOnly(() =>
      app.db.query(`update owner_token set expires_at = clock_timestamp() where id = $1`, [member.tokenId]),
    ));

  it('when its subject is no member any more', async () => {
    const path = `/organizations/${place.organizationId}/members/${member.subject}`;
    await endsForTheMemberOnly(() => other.client(owner.token).delete(path));
    expect((await follow(member.token)).status).toBe(404);
  });

  it('when a token that only reads is revoked, but not for a member who becomes a viewer', async () => {
    const path = `/organizations/${place.organizationId}/members/${member.subject}`;
    const limits = { scopes: ['read'], organizationIds: [place.organizationId] };
    const { body } = await owner.post('/owner-tokens', { name: 'reads', ...limits });
    const answer = await Answer.post(app, place);
    const readers = [await follow(member.token), await follow(body.data.token)];
    await other.client(owner.token).put(path, { role: 'viewer' });
    await other.client(owner.token).delete(`/owner-tokens/${body.data.id}`);
    await readers[1]!.untilEnded();
    await answer.append('For all who read.');
    await readers[0]!.reaches(answer.eventId);
    expect(readers[0]!.ended).toBe(false);
    readers[0]!.close();
  });

  it('when the organization is deleted', async () => {
    const readers = [await follow(), await follow(member.token)];
    const { status } = await other.client(owner.token).delete(`/organizations/${place.organizationId}`);
    expect(status).toBe(200);
    await Promise.all(readers.map((reader) => reader.untilEnded()));
    expect((await follow()).status).toBe(404);
  });

  it.each([
    ['as it is told', true],
    ['even if nobody tells of it', false],
  ])('when the chat is deleted, %s', async (_how, told) => {
    const reader = await follow();
    await app.db.query('update chat set deleted_at = clock_timestamp() where id = $1', [place.chatId]);
    if (told) other.app.get(ChatSignalsService).deleted(place);
    await reader.untilEnded();
    expect(reader.comments.at(-1)).toBe('the chat was deleted');
    expect((await follow()).status).toBe(404);
  });

  it('when its client goes, and gives its place back', async () => {
    const streams = app.app.get(EventStreams);
    await until('others are gone', () => streams.count === 0);
    const readers = [await follow(), await follow()];
    expect(streams.count).toBe(2);
    for (const reader of readers) reader.close();
    await until('they are gone', () => streams.count === 0);
  });
});

describe('the administrator', () => {
  it('follows a chat of an organization that it does not belong to, until that is deleted', async () => {
    const answer = await Answer.post(app, place);
    const reader = await follow(app.bootstrap.token);
    await answer.append('Seen.');
    await reader.reaches(answer.eventId);
    await owner.delete(`/organizations/${place.organizationId}`);
    await reader.untilEnded();
  });
});
