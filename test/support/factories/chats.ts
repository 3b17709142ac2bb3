import { newId } from '../../../src/kernel/ids/index.ts';
import type { Answer, Client } from '../client.ts';
import type { TestApp } from '../test-app.ts';
import { changeRow, type Columns, insertRow } from './rows.ts';

/** Another chat of an organization. */
export async function createChat(owner: Client, organizationId: string, title = 'A chat'): Promise<string> {
  const { status, text, body } = await owner.post(`/organizations/${organizationId}/chats`, { title });
  if (status !== 201) throw new Error(`No chat: ${text}`);
  return body.data.id as string;
}

/** What an owner says, as it is posted. */
export function saying(...texts: string[]): object {
  return { author: { kind: 'human', displayName: 'Ada' }, parts: texts.map((text) => ({ kind: 'text', text })) };
}

export function postMessage(
  owner: Client,
  organizationId: string,
  chatId: string,
  ...texts: string[]
): Promise<Answer> {
  return owner.post(`/organizations/${organizationId}/chats/${chatId}/messages`, saying(...texts));
}

/** The answer that waits after a post. */
export async function awaitedAnswer(owner: Client, organizationId: string, chatId: string): Promise<string> {
  const { status, text, body } = await postMessage(owner, organizationId, chatId, 'Hello');
  if (status !== 202) throw new Error(`No answer: ${text}`);
  return body.data.assistantMessage.id as string;
}

/** Changes an assistant's message in the table, as those who answer do. */
export function changeAnswer(app: TestApp, id: string, row: Columns): Promise<void> {
  return changeRow(app, 'message', id, row);
}

/** What a turn has while somebody holds it. */
export const HELD = {
  leased: true,
  lease_token_hash: '\\x00',
  lease_expires_at: '2999-01-01T00:00:00Z',
  worker_id: 'worker-1',
  generation: 1,
};

/** The chat that an organization is created with. */
export async function firstChat(app: TestApp, organizationId: string): Promise<string> {
  const { rows } = await app.db.query<{ id: string }>(
    'select id from chat where organization_id = $1 order by id limit 1',
    [organizationId],
  );
  return rows[0]!.id;
}

/** A further chat straight in the table. */
export async function chatRow(app: TestApp, organizationId: string, row: Columns = {}): Promise<string> {
  const id = newId();
  await insertRow(app, 'chat', { organization_id: organizationId, id, title: 'A chat', ...row });
  return id;
}

/** A message straight in the table; complete and a user's unless said otherwise. */
export async function messageRow(app: TestApp, organizationId: string, chatId: string, row: Columns = {}) {
  const id = newId();
  await insertRow(app, 'message', {
    organization_id: organizationId,
    chat_id: chatId,
    id,
    role: 'user',
    status: 'complete',
    ...row,
  });
  return id;
}

/** One append to a message that streams. */
export async function chunkRow(app: TestApp, organizationId: string, messageId: string, row: Columns): Promise<void> {
  await insertRow(app, 'message_chunk', { organization_id: organizationId, message_id: messageId, draft: 1, ...row });
}
