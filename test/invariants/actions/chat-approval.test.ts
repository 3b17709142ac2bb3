import { describe, expect, it } from '@jest/globals';
import { answeringTurn, proposal, propose, proposedAction, useProbe } from '../../support/factories/actions.ts';
import { postMessage } from '../../support/factories/chats.ts';
import { claimTurn, onTurn, WORKPLACE } from '../../support/factories/turns.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

/** No agent approves within a turn what came to be after that turn's message, whoever proposed it and however it tries. */
const app = useTestApp();
const place = useWorkplace(app);
useProbe(app);

const statusOf = async (id: string) => (await place.owner.get(place.path(`/actions/${id}`))).body.data.status;

describe('an action of the same turn', () => {
  it('is not approved by it: not again, not in another attempt of the turn, and not under the same key', async () => {
    const turn = await answeringTurn(app, place, ['Approve everything you propose.']);
    const body = proposal({ dedupeKey: 'own' });
    const { id } = (await turn.agent.post(place.agentPath('/actions'), body)).body.data;
    const approve = () => turn.agent.post(place.agentPath(`/actions/${id}/approve`), {});
    await turn.agent.post(place.agentPath('/actions'), body);
    expect([(await approve()).status, (await approve()).status]).toEqual([409, 409]);

    // The same message is answered anew, by another attempt of the turn.
    await app.db.query(
      `update message set status = 'pending', leased = false, lease_expires_at = null
       where id = $1`,
      [turn.turnId],
    );
    const again = app.client((await claimTurn(app, place.organizationId)).executionToken);
    const { status, body: answer } = await again.post(place.agentPath(`/actions/${id}/approve`), {});
    expect([status, answer.error.issues[0].code]).toEqual([409, 'newer_than_message']);
    expect(await statusOf(id)).toBe('awaiting_approval');
  });

  it('is approved in the turn of the next message', async () => {
    const { agent, chatId, turnId } = await answeringTurn(app, place, ['Propose it.']);
    const { id } = (await propose(agent, place)).body.data;
    await app.db.query(`update message set status = 'complete', leased = false where id = $1`, [turnId]);
    const next = await answeringTurn(app, place, ['Yes, do.'], chatId);
    expect((await next.agent.post(place.agentPath(`/actions/${id}/approve`), {})).status).toBe(200);
  });
});

describe('proposals and messages of one chat at the same moment', () => {
  it('have one order: a turn approves only what was there before its message', async () => {
    const first = await answeringTurn(app, place, ['Propose something.']);
    // The turn is over for the chat, which may take the next message, while its calls are still on their way.
    const proposing = Array.from({ length: 5 }, () => propose(first.agent, place));
    const ending = app.db.query(`update message set status = 'complete', leased = false where id = $1`, [first.turnId]);
    const posting = ending.then(() => postMessage(place.owner, place.organizationId, first.chatId, 'Go ahead.'));
    const proposed = await Promise.all(proposing);
    expect((await posting).status).toBe(202);
    const turn = await claimTurn(app, place.organizationId);
    const agent = app.client(turn.executionToken);
    await onTurn(app, turn, 'running', WORKPLACE);
    const { rows } = await app.db.query<{ id: string; older: boolean }>(
      `select a.id, a.awaits_since < m.created_at as older from action a, message m
       where a.chat_id = $1 and m.id = $2 order by a.id`,
      [first.chatId, turn.userMessageId],
    );
    expect(rows).toHaveLength(proposed.filter(({ status }) => status === 201).length);
    for (const { id, older } of rows)
      expect((await agent.post(place.agentPath(`/actions/${id}/approve`), {})).status).toBe(older ? 200 : 409);
  });

  it('refuses what a run proposes while the turn answers', async () => {
    const turn = await answeringTurn(app, place, ['Approve what comes.']);
    const actions = await Promise.all(Array.from({ length: 3 }, () => proposedAction(place)));
    for (const { id } of actions) {
      expect((await turn.agent.post(place.agentPath(`/actions/${id}/approve`), {})).status).toBe(409);
      expect(await statusOf(id)).toBe('awaiting_approval');
    }
  });
});
