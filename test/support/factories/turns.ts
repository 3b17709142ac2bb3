import { randomUUID } from 'node:crypto';
import { chatRow, firstChat, messageRow } from './chats.ts';
import type { Answer } from '../client.ts';
import type { TestApp } from '../test-app.ts';
import { profileOf } from './profiles.ts';
import type { Columns } from './rows.ts';

export const TURN_CLAIM_PATH = '/internal/chat-turns/claim';

export interface WaitingTurn {
  readonly organizationId: string;
  readonly chatId: string;
  readonly turnId: string;
  readonly userMessageId: string;
}

export interface ClaimedTurn extends WaitingTurn {
  readonly agentProfileId: string;
  readonly leaseToken: string;
  readonly leaseExpiresAt: string;
  readonly executionToken: string;
  readonly attempt: number;
}

/** A question with the answer that waits for a turn, as a post leaves them; in the organization's first chat unless said. */
export async function waitingTurn(
  app: TestApp,
  organizationId: string,
  { chatId, ...row }: Columns & { readonly chatId?: string } = {},
): Promise<WaitingTurn> {
  const chat = chatId ?? (await firstChat(app, organizationId));
  const userMessageId = await messageRow(app, organizationId, chat, {
    author: { kind: 'human', displayName: 'Ada' },
    parts: [{ id: 'p1', kind: 'text', text: 'What is left to do?' }],
  });
  const turnId = await messageRow(app, organizationId, chat, {
    role: 'assistant',
    status: 'pending',
    reply_to_message_id: userMessageId,
    agent_profile_id: await profileOf(app, organizationId, 'chat'),
    ...row,
  });
  return { organizationId, chatId: chat, turnId, userMessageId };
}

/** So many turns, each in a chat of its own, the oldest first. */
export async function waitingTurns(app: TestApp, organizationId: string, count: number): Promise<WaitingTurn[]> {
  const turns: WaitingTurn[] = [];
  for (let nth = 0; nth < count; nth += 1)
    turns.push(await waitingTurn(app, organizationId, { chatId: await chatRow(app, organizationId) }));
  return turns;
}

/** A claim on one organization's turns. */
export function claimTurns(app: TestApp, organizationId: string, body: Columns = {}): Promise<Answer> {
  return app.service.post(TURN_CLAIM_PATH, {
    workerId: `worker-${organizationId}`,
    bootId: randomUUID(),
    organizationIds: [organizationId],
    ...body,
  });
}

/** Claims the only turn of an organization. */
export async function claimTurn(app: TestApp, organizationId: string, body?: Columns): Promise<ClaimedTurn> {
  const { status, text, body: answer } = await claimTurns(app, organizationId, body);
  if (status !== 200 || answer.data.length !== 1) throw new Error(`No turn: ${text}`);
  return answer.data[0] as ClaimedTurn;
}

/** A turn that a worker holds and has not begun. */
export async function heldTurn(app: TestApp, organizationId: string, body?: Columns): Promise<ClaimedTurn> {
  await waitingTurn(app, organizationId, { chatId: await chatRow(app, organizationId) });
  return claimTurn(app, organizationId, body);
}

/** A turn that streams, with this text so far. */
export async function streamingTurn(app: TestApp, organizationId: string, text = 'Hello'): Promise<ClaimedTurn> {
  const turn = await heldTurn(app, organizationId);
  await onTurn(app, turn, 'running', WORKPLACE);
  await append(app, turn, 0, text);
  return turn;
}

/** Ends the rest of a turn that was given back, as the clock and the tick do. */
export async function endTurnRest(app: TestApp, { turnId }: Pick<WaitingTurn, 'turnId'>): Promise<void> {
  await app.db.query(`update message set rests_until = clock_timestamp() where id = $1`, [turnId]);
  await app.runJob('turns-rested');
}

/** A call of a worker on its turn. */
export function onTurn(
  app: TestApp,
  { organizationId, turnId, leaseToken }: Pick<ClaimedTurn, 'organizationId' | 'turnId' | 'leaseToken'>,
  call: string,
  body: Columns = {},
): Promise<Answer> {
  return app.service.post(`/internal/chat-turns/${turnId}/${call}`, { organizationId, leaseToken, ...body });
}

export function append(
  app: TestApp,
  turn: Pick<ClaimedTurn, 'organizationId' | 'turnId' | 'leaseToken'>,
  offset: number,
  text: string,
  partId = 'p1',
): Promise<Answer> {
  return onTurn(app, turn, 'append', { partId, offset, text });
}

export const WORKPLACE = { harness: 'harness/1', model: 'model-1' };
export const FAILURE = { code: 'model_overloaded', message: 'The model did not answer.' };

/** The row of a turn, in SQL's names. */
export async function turnRow(
  app: TestApp,
  { organizationId, turnId }: Pick<WaitingTurn, 'organizationId' | 'turnId'>,
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into rows of every shape
): Promise<any> {
  const { rows } = await app.db.query('select * from message where organization_id = $1 and id = $2', [
    organizationId,
    turnId,
  ]);
  return rows[0];
}

/** Changes the row of a turn; `change` is SQL. */
export async function setTurn(
  app: TestApp,
  { organizationId, turnId }: Pick<WaitingTurn, 'organizationId' | 'turnId'>,
  change: string,
): Promise<void> {
  await app.db.query(`update message set ${change} where organization_id = $1 and id = $2`, [organizationId, turnId]);
}

/** Moves the end of a turn's lease, by the database's clock. */
export function lapseTurn(app: TestApp, turn: WaitingTurn): Promise<void> {
  return setTurn(app, turn, `lease_expires_at = clock_timestamp() - interval '1 ms'`);
}

/** As an owner's cancel leaves a turn, `ago` (SQL) before now. */
export function cancelTurn(app: TestApp, turn: WaitingTurn, ago = '0 s'): Promise<void> {
  return setTurn(
    app,
    turn,
    `status = 'cancelling', cancel_requested_at = clock_timestamp() - interval '${ago}', revision = revision + 1`,
  );
}

/** The text of a turn's chunks, or of its parts once they are folded. */
export async function textOf(app: TestApp, turn: WaitingTurn): Promise<string> {
  const { rows } = await app.db.query<{ text: string | null }>(
    `select case when m.status in ('streaming', 'cancelling')
       then (select string_agg(k.text, '' order by k.part_id, k.part_offset) from message_chunk k
             where k.organization_id = m.organization_id and k.message_id = m.id and k.draft = m.draft)
       else message_text(m.parts) end as text
     from message m where m.organization_id = $1 and m.id = $2`,
    [turn.organizationId, turn.turnId],
  );
  return rows[0]!.text ?? '';
}
