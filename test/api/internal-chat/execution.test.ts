import { beforeEach, describe, expect, it } from '@jest/globals';
import { chatRow, messageRow } from '../../support/factories/chats.ts';
import { type Client } from '../../support/client.ts';
import {
  append,
  claimTurn,
  type ClaimedTurn,
  heldTurn,
  lapseTurn,
  onTurn,
  waitingTurn,
} from '../../support/factories/turns.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let turn: ClaimedTurn;
let agent: Client;
beforeEach(async () => {
  turn = await heldTurn(app, organization.id);
  agent = app.client(turn.executionToken);
});

const read = (client = agent) => client.get(`/internal/agent/organizations/${organization.id}/execution`);
const text = (id: string, said: string) => ({ id, kind: 'text', text: said });

describe('GET …/execution of a chat turn: 200', () => {
  it('shows organization, profile, chat and what was said', async () => {
    await app.db.query(
      `insert into attachment (organization_id, chat_id, id, file_name, media_type, size_bytes, sha256, object_key)
       values ($1, $2, $3, 'orders.csv', 'text/csv', 5, $4, 'key')`,
      [organization.id, turn.chatId, turn.turnId, 'a'.repeat(64)],
    );
    await append(app, turn, 0, 'So far');
    const { status, body } = await read();
    expect(status).toBe(200);
    const profile = (await owner.get(`/organizations/${organization.id}/agent-profiles/${turn.agentProfileId}`)).body
      .data;
    expect(body.data).toEqual({
      kind: 'chat_turn',
      executionId: turn.turnId,
      organization: expect.objectContaining({ id: organization.id, authorizationEpoch: 1 }),
      profile: expect.objectContaining({
        id: turn.agentProfileId,
        key: 'chat',
        kind: 'chat',
        department: null,
        config: profile.config,
        catalogRevision: profile.config.catalogSource.revision,
      }),
      attempt: 1,
      chat: {
        id: turn.chatId,
        organizationId: organization.id,
        title: 'A chat',
        status: 'open',
        summary: null,
        harnessSessionId: null,
        settings: { pinnedTaskIds: [] },
        lastMessageAt: null,
        archivedAt: null,
        isOnboardingChat: false,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
      messages: [
        expect.objectContaining({ id: turn.userMessageId, role: 'user', parts: [text('p1', 'What is left to do?')] }),
        expect.objectContaining({
          id: turn.turnId,
          role: 'assistant',
          status: 'streaming',
          parts: [text('p1', 'So far')],
        }),
      ],
      attachments: [
        {
          version: 1,
          id: turn.turnId,
          organizationId: organization.id,
          chatId: turn.chatId,
          fileName: 'orders.csv',
          mediaType: 'text/csv',
          sizeBytes: 5,
          sha256: 'a'.repeat(64),
          createdAt: expect.any(String),
          uri: `service://organizations/${organization.id}/chats/${turn.chatId}/attachments/${turn.turnId}`,
        },
      ],
      decisions: [],
      unresolvedActions: [],
      checkpoints: [],
      integrations: [],
      context: [],
      memory: null,
      issuedAt: expect.stringMatching(/\.\d{6}Z$/),
    });
    expect(body.data.profile.instructions.length).toBeGreaterThan(100);
  });

  it('shows the latest 50 messages in their order', async () => {
    const chatId = await chatRow(app, organization.id);
    const ids = [];
    for (let nth = 0; nth < 55; nth += 1) ids.push(await messageRow(app, organization.id, chatId));
    const { turnId, userMessageId } = await waitingTurn(app, organization.id, { chatId });
    const { executionToken } = await claimTurn(app, organization.id);
    const { messages } = (await read(app.client(executionToken))).body.data;
    expect(messages.map(({ id }: { id: string }) => id)).toEqual([...ids.slice(7), userMessageId, turnId]);
  });

  it('names the session of an earlier turn while the epoch lasts', async () => {
    await onTurn(app, turn, 'complete', { harnessSessionId: 'session-1' });
    await waitingTurn(app, organization.id, { chatId: turn.chatId });
    agent = app.client((await claimTurn(app, organization.id)).executionToken);
    expect((await read()).body.data.chat.harnessSessionId).toBe('session-1');
    await app.db.query(`update organization set authorization_epoch = 2 where id = $1`, [organization.id]);
    expect((await read()).body.data.chat.harnessSessionId).toBeNull();
  });

  it('is at most 1 MiB, however much was said', async () => {
    const chatId = await chatRow(app, organization.id);
    const large = [text('p1', '"'.repeat(200_000))];
    for (let nth = 0; nth < 6; nth += 1) await messageRow(app, organization.id, chatId, { parts: large });
    const { userMessageId } = await waitingTurn(app, organization.id, { chatId });
    const parts = Array.from({ length: 8 }, (_, nth) => text(`p${nth}`, 'é'.repeat(75_000)));
    await app.db.query(`update message set parts = $2 where id = $1`, [userMessageId, JSON.stringify(parts)]);
    const answer = await read(app.client((await claimTurn(app, organization.id)).executionToken));
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(1024 * 1024);
    const { messages } = answer.body.data;
    expect(messages.map(({ id }: { id: string }) => id)[0]).toBe(userMessageId);
    expect(messages[0].parts.map((part: { text: string }) => part.text.endsWith('…'))).toContain(true);
  });
});

describe('GET …/execution of a chat turn: 409', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['has ended', () => onTurn(app, turn, 'complete')],
    ['has lapsed', () => lapseTurn(app, turn)],
    ['was given back', () => onTurn(app, turn, 'release')],
  ])('when it %s', async (_what, end) => {
    await end();
    const { status, body } = await read();
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });
});
