import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { attached, attachmentPath } from '../../support/factories/attachments.ts';
import { createChat, HELD, messageRow, changeAnswer } from '../../support/factories/chats.ts';
import type { Answer, Client } from '../../support/client.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { S3Peer } from '../../support/peers/s3-peer.ts';
import { TestApp } from '../../support/test-app.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const BYTES = '0123456789';
const ETAG = `"${createHash('sha256').update(BYTES).digest('hex')}"`;

describe.each(['a folder', 'a bucket'])('bytes in %s', (kind) => {
  let peer: S3Peer | undefined;
  let app: TestApp;
  let place: Workplace;
  let content: string;

  beforeAll(async () => {
    peer = kind === 'a bucket' ? await S3Peer.start() : undefined;
    app = await TestApp.start({ env: (await peer?.environment()) ?? {} });
    place = await Workplace.open(app);
    const at = { organizationId: place.organizationId, chatId: await createChat(place.owner, place.organizationId) };
    const id = await attached(place.owner, at, { fileName: 'Übersicht.csv', mediaType: 'text/csv', bytes: BYTES });
    content = `${attachmentPath(at, id)}/content`;
  });
  afterAll(async () => {
    await app.close();
    await peer?.stop();
  });

  /** What GET answers, after HEAD has said the same without the bytes. */
  const read = async (client: Client, path: string, headers = {}): Promise<Answer> => {
    const [get, head] = [await client.get(path, headers), await client.send('HEAD', path, undefined, headers)];
    expect(head.status).toBe(get.status);
    // On the wire no answer to HEAD has bytes, errors included.
    if (get.status < 400) expect([head.text, lasting(head)]).toEqual(['', lasting(get)]);
    return get;
  };

  it('200: the whole, as a file to be kept', async () => {
    const { status, text, headers } = await read(place.owner, content);
    expect([status, text]).toEqual([200, BYTES]);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="_bersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: ETAG,
    });
    expect(String(headers['content-length'])).toBe('10');
  });

  it.each([
    ['bytes=2-4', 'bytes 2-4/10', '234'],
    ['bytes=7-', 'bytes 7-9/10', '789'],
    ['bytes=-2', 'bytes 8-9/10', '89'],
    ['bytes=8-99', 'bytes 8-9/10', '89'],
  ])('206 for %s', async (range, contentRange, bytes) => {
    const { status, text, headers } = await read(place.owner, content, { range });
    expect([status, headers['content-range'], text]).toEqual([206, contentRange, bytes]);
  });

  it('200 for several ranges, and for one of a file that is another by now', async () => {
    for (const headers of [{ range: 'bytes=0-1,3-4' }, { range: 'bytes=0-1', 'if-range': '"other"' }])
      expect((await read(place.owner, content, headers)).text).toBe(BYTES);
    const same = await read(place.owner, content, { range: 'bytes=0-1', 'if-range': ETAG });
    expect([same.status, same.text]).toEqual([206, '01']);
  });

  it('304 for what the caller has', async () => {
    const { status, text, headers } = await read(place.owner, content, { 'if-none-match': `"other", W/${ETAG}` });
    expect([status, text, headers.etag]).toEqual([304, '', ETAG]);
  });

  it.each(['bytes=10-', 'bytes=-0'])('416 for %s', async (range) => {
    const { status, body, headers } = await read(place.owner, content, { range });
    expect([status, body.error.code, headers['content-range']]).toEqual([416, 'range_not_satisfiable', 'bytes */10']);
  });
});

describe('who reads', () => {
  const app = useTestApp();
  const place = useWorkplace(app);
  let chatId: string;
  let content: string;

  beforeAll(async () => {
    chatId = await createChat(place.owner, place.organizationId);
    const at = { organizationId: place.organizationId, chatId };
    content = `${attachmentPath(at, await attached(place.owner, at, { bytes: BYTES }))}/content`;
  });

  const refused = async (client: Client, status: number, code: string, path = content) => {
    const { status: answered, body } = await client.get(path);
    expect([answered, body.error.code]).toEqual([status, code]);
    expect((await client.send('HEAD', path)).status).toBe(status);
  };

  it('401 unless an owner or an execution', async () => {
    for (const client of [app.anonymous, app.service]) await refused(client, 401, 'owner_unauthorized');
  });

  it('404 for what is not there, or in another chat', async () => {
    const other = await createChat(place.owner, place.organizationId);
    for (const path of [content.replace(chatId, other), content.replace(chatId, randomUUID()), unknownIn(content)])
      await refused(place.owner, 404, 'attachment_not_found', path);
    await refused(await app.person(), 404, 'organization_not_found');
  });

  it('409 where the stored bytes are gone', async () => {
    const at = { organizationId: place.organizationId, chatId: await createChat(place.owner, place.organizationId) };
    const id = await attached(place.owner, at);
    const objects = app.app.get(ObjectStore);
    await objects.deletePrefix(`organizations/${at.organizationId}/chats/${at.chatId}`);
    const { status, body } = await place.owner.get(`${attachmentPath(at, id)}/content`);
    expect([status, body.error]).toMatchObject([
      409,
      { code: 'state_conflict', issues: [{ path: 'attachmentId', code: 'bytes_damaged' }] },
    ]);
  });

  it('404 for everybody once the chat is deleted', async () => {
    const at = { organizationId: place.organizationId, chatId: await createChat(place.owner, place.organizationId) };
    const gone = `${attachmentPath(at, await attached(place.owner, at))}/content`;
    const { agent } = await place.run({ task: { source_chat_id: at.chatId } });
    expect((await agent.get(gone)).status).toBe(200);
    await place.owner.delete(`/organizations/${at.organizationId}/chats/${at.chatId}`);
    for (const client of [place.owner, agent]) await refused(client, 404, 'attachment_not_found', gone);
  });

  it('a run whose task came of the chat, while it lives, and no other', async () => {
    const { agent, runId } = await place.run({ task: { source_chat_id: chatId } });
    const { status, text } = await agent.get(content, { range: 'bytes=1-2' });
    expect([status, text]).toEqual([206, '12']);
    await refused(agent, 404, 'attachment_not_found', unknownIn(content));
    for (const source_chat_id of [null, randomUUID()])
      await refused((await place.run({ task: { source_chat_id } })).agent, 404, 'attachment_not_found');
    const elsewhere = await (await Workplace.open(app)).run({ task: { source_chat_id: chatId } });
    await refused(elsewhere.agent, 401, 'owner_unauthorized');
    await app.db.query(`update run set status = 'succeeded' where id = $1`, [runId]);
    await refused(agent, 409, 'state_conflict');
  });

  it('a run whose root task an owner gave it as an input, and no run that an agent gave it', async () => {
    const [, attachmentId] = /attachments\/([^/]+)/.exec(content)!;
    const spec = { objective: 'Read it.', inputs: [{ kind: 'attachment', chatId, attachmentId }] };
    const root = await place.task({ spec });
    for (const { agent } of [await place.run({ task: { spec } }), await place.run({ task: rootedIn(root) })])
      expect((await agent.get(content)).text).toBe(BYTES);
    const ofAgents = [{ created_by_run_id: randomUUID() }, { source_message_id: randomUUID() }];
    const others = [
      { ...rootedIn(await place.task()), spec },
      ...ofAgents.map((origin) => Object.assign(origin, { spec })),
    ];
    for (const task of others) await refused((await place.run({ task })).agent, 404, 'attachment_not_found');
    const { agent } = await place.run({ task: { spec } });
    await refused(agent, 404, 'attachment_not_found', unknownIn(content));
  });

  it('a turn of the chat, while it is held, and no other', async () => {
    const turnOf = async (chat: string) => {
      const row = { role: 'assistant', status: 'streaming', agent_profile_id: place.profile('chat'), ...HELD };
      const executionId = await messageRow(app, place.organizationId, chat, row);
      const profile = { agentProfileId: place.profile('chat'), profileKind: 'chat', department: null } as const;
      const claims = { organizationId: place.organizationId, ...profile, execution: 'chat_turn', mode: null } as const;
      return { executionId, agent: await app.execution({ ...claims, executionId }) };
    };
    const { agent, executionId } = await turnOf(chatId);
    expect((await agent.get(content)).text).toBe(BYTES);
    const other = await turnOf(await createChat(place.owner, place.organizationId));
    await refused(other.agent, 404, 'attachment_not_found');
    await changeAnswer(app, executionId, { lease_expires_at: '2000-01-01T00:00:00Z' });
    await refused(agent, 409, 'state_conflict');
  });
});

function rootedIn(id: string): { readonly parent_id: string; readonly root_task_id: string } {
  return { parent_id: id, root_task_id: id };
}

/** As the module of chats says it once it hands out turns; two that say it do not start. */

/** The same path with an id of nothing. */
function unknownIn(content: string): string {
  return content.replace(/[^/]+\/content$/, `${randomUUID()}/content`);
}

/** The headers of an answer that are the same in the next one. */
function lasting({ headers }: Answer): Record<string, unknown> {
  const { date: _date, 'x-request-id': _id, connection: _connection, ...rest } = headers;
  return rest;
}
