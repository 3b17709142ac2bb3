import { beforeEach, describe, expect, it } from '@jest/globals';
import { awaitedAnswer, createChat, HELD, postMessage } from '../../support/factories/chats.ts';
import { type Answer } from '../../support/client.ts';
import { meetAtLock } from '../../support/database/waiting-calls.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/**
 * What owners do with a chat at the same moment has one order, and meets whoever writes the answer in one order too. Each
 * order is made certain at the lock that both take.
 */
const { app, owner, organization } = useOrganization();
let chatId: string;
let path: string;
beforeEach(async () => {
  chatId = await createChat(owner, organization.id);
  path = `/organizations/${organization.id}/chats/${chatId}`;
});

const post = () => postMessage(owner, organization.id, chatId, 'Hello');
const archive = () => owner.patch(path, { status: 'archived' });
const remove = () => owner.delete(path);

const outcome = ({ status, body }: Answer) => [status, body.error?.code];
const atChat = async (...calls: (() => Promise<Answer>)[]) => {
  const lock = { sql: 'select from chat where id = $1 for update', values: [chatId] };
  return (await meetAtLock(app, lock, calls)).map(outcome);
};
const rows = async () => {
  const { rows: found } = await app.db.query(
    'select status, leased, lease_token_hash from message where chat_id = $1 order by created_at, id',
    [chatId],
  );
  return found;
};

describe('a post against an archive', () => {
  it('keeps the chat open when it was first', async () => {
    expect(await atChat(post, archive)).toEqual([
      [202, undefined],
      [409, 'chat_response_active'],
    ]);
    expect((await owner.get(path)).body.data.status).toBe('open');
  });

  it('is refused when it was second', async () => {
    expect(await atChat(archive, post)).toEqual([
      [200, undefined],
      [409, 'state_conflict'],
    ]);
    expect(await rows()).toEqual([]);
  });
});

describe('a post against a deletion', () => {
  it('is taken when it was first, and its turn ends with the chat', async () => {
    expect(await atChat(post, remove)).toEqual([
      [202, undefined],
      [200, undefined],
    ]);
    expect((await rows()).map(({ status }) => status)).toEqual(['complete', 'cancelled']);
  });

  it('finds nothing when it was second', async () => {
    expect(await atChat(remove, post)).toEqual([
      [200, undefined],
      [404, 'chat_not_found'],
    ]);
    expect(await rows()).toEqual([]);
  });
});

describe('a deletion against a second one', () => {
  it('has one winner', async () => {
    expect(await atChat(remove, remove)).toEqual([
      [200, undefined],
      [404, 'chat_not_found'],
    ]);
  });
});

describe('an answer that somebody is at', () => {
  let answer: string;
  beforeEach(async () => {
    answer = await awaitedAnswer(owner, organization.id, chatId);
  });
  /** What a worker's call does to the row while the owner's call waits for it. */
  const meanwhile = async (changes: string, call: () => Promise<Answer>) => {
    const lock = { sql: `update message set ${changes}, revision = revision + 1 where id = $1`, values: [answer] };
    return (await meetAtLock(app, lock, [call]))[0]!;
  };
  const cancel = () => owner.post(`${path}/messages/${answer}/cancel`);
  const claimed = `leased = true, lease_token_hash = '${HELD.lease_token_hash}', lease_expires_at = 'infinity'`;

  it('is taken from whoever claims it as its chat is deleted', async () => {
    expect((await meanwhile(claimed, remove)).status).toBe(200);
    expect((await rows()).at(-1)).toEqual({ status: 'cancelled', leased: false, lease_token_hash: null });
  });

  it('stays complete when it was completed before its chat was deleted', async () => {
    expect((await meanwhile(`status = 'complete'`, remove)).status).toBe(200);
    expect((await rows()).at(-1)).toMatchObject({ status: 'complete' });
  });

  it('is cancelled under whoever claims or streams it', async () => {
    const { status, body } = await meanwhile(`status = 'streaming', ${claimed}`, cancel);
    expect([status, body.data]).toMatchObject([200, { status: 'cancelling', revision: 3 }]);
    expect((await rows()).at(-1)).toMatchObject({ leased: true });
  });

  it('cannot be cancelled when it was completed before', async () => {
    expect(outcome(await meanwhile(`status = 'complete'`, cancel))).toEqual([409, 'message_not_cancellable']);
    expect((await rows()).at(-1)).toMatchObject({ status: 'complete' });
  });
});
