import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  answeringTurn,
  type ChatTurn,
  itemsOf,
  proposedAction,
  propose,
  useProbe,
  verbsOf,
} from '../../support/factories/actions.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

/** `CHAT_DECISIONS` is `turn`: what the chat agent does in a person's turn is what the person wants. */
const app = useTestApp();
const place = useWorkplace(app);
useProbe(app);

const VERDICTS = ['approve', 'reject'] as const;
const STATUS = { approve: 'approved', reject: 'rejected' } as const;

const decide = ({ agent }: Pick<ChatTurn, 'agent'>, id: string, verdict: string, body: object = {}) =>
  agent.post(place.agentPath(`/actions/${id}/${verdict}`), body);
const statusOf = async (id: string) => (await place.owner.get(place.path(`/actions/${id}`))).body.data.status;
const turnAfter = (text = 'Go ahead.') => answeringTurn(app, place, [text]);

describe.each(VERDICTS)('POST /internal/agent/…/actions/{id}/%s: 200', (verdict) => {
  it('decides for the person whose message the turn answers', async () => {
    const { id } = await proposedAction(place);
    const turn = await turnAfter();
    const { status, body } = await decide(turn, id, verdict, { comment: 'Said so.' });
    expect([status, body.data]).toMatchObject([
      200,
      {
        status: STATUS[verdict],
        decision: {
          kind: verdict,
          by: { kind: 'human', id: null, name: 'Ada' },
          comment: 'Said so.',
          channel: 'chat',
          messageId: turn.messageId,
        },
      },
    ]);
    expect(await itemsOf(app, id)).toEqual([{ kind: 'approval', status: 'resolved' }]);
    expect(await verbsOf(app, id)).toEqual(['action.proposed', `action.${STATUS[verdict]}`]);
    const { rows } = await app.db.query(`select closure -> 'by' as by from inbox_item where action_id = $1`, [id]);
    expect(rows).toEqual([{ by: { kind: 'human', id: null, name: 'Ada' } }]);
    expect((await decide(turn, id, verdict)).status).toBe(200);
    expect((await decide(await turnAfter(), id, verdict)).body.data.decision.messageId).toBe(turn.messageId);
  });
});

describe.each(VERDICTS)('POST /internal/agent/…/actions/{id}/%s: 401', (verdict) => {
  it('refuses runs of any profile, runtimes, owners, and forged turns', async () => {
    const { id } = await proposedAction(place);
    const { agent: run } = await place.run();
    const { agent: operator } = await place.run({}, 'operator');
    const forged = await app.execution({
      organizationId: place.organizationId,
      agentProfileId: place.profile('chat'),
      profileKey: 'chat',
      profileKind: 'chat',
      department: null,
      execution: 'task_run',
    });
    for (const agent of [run, operator, forged, app.service, place.owner])
      expect((await decide({ agent }, id, verdict)).status).toBe(401);
    expect(await statusOf(id)).toBe('awaiting_approval');
  });

  it('refuses a turn whose person could not decide', async () => {
    const { id } = await proposedAction(place);
    const turn = await turnAfter();
    await app.db.query(`update message set scopes = '{read,work,settings}' where id = $1`, [turn.messageId]);
    const { status, body } = await decide(turn, id, verdict);
    expect([status, body.error.issues[0].code]).toEqual([401, 'not_in_scope']);
    expect(await statusOf(id)).toBe('awaiting_approval');
  });
});

describe.each(VERDICTS)('POST /internal/agent/…/actions/{id}/%s: 404', (verdict) => {
  it('does not know actions of others', async () => {
    const there = await Workplace.open(app);
    const { id } = await proposedAction(there);
    const turn = await turnAfter();
    for (const each of [id, randomUUID()])
      expect((await decide(turn, each, verdict)).body.error.code).toBe('not_found');
  });
});

describe.each(VERDICTS)('POST /internal/agent/…/actions/{id}/%s: 409', (verdict) => {
  it('refuses what was proposed after the message, in whatever turn or run', async () => {
    const turn = await turnAfter('Propose and approve whatever you like.');
    const own = (await propose(turn.agent, place)).body.data.id as string;
    const { id } = await proposedAction(place);
    for (const each of [own, id]) {
      const { status, body } = await decide(turn, each, verdict);
      expect([status, body.error.issues]).toMatchObject([409, [{ code: 'newer_than_message' }]]);
      expect(await statusOf(each)).toBe('awaiting_approval');
    }
    expect((await decide(await turnAfter(), own, verdict)).status).toBe(200);
  });

  it('refuses what awaits its approval anew since the message', async () => {
    const { id } = await proposedAction(place);
    const turn = await turnAfter();
    await app.db.query('update action set awaits_since = clock_timestamp() where id = $1', [id]);
    const { status, body } = await decide(turn, id, verdict);
    expect([status, body.error.issues[0].code]).toEqual([409, 'newer_than_message']);
  });

  it('refuses a turn that is over, and one of a disabled profile', async () => {
    const there = await Workplace.open(app);
    const { id } = await proposedAction(there);
    const call = (turn: ChatTurn) => turn.agent.post(there.agentPath(`/actions/${id}/${verdict}`), {});
    const over = await answeringTurn(app, there, ['Go ahead.']);
    await app.db.query(`update message set status = 'complete', leased = false where id = $1`, [over.turnId]);
    const live = await answeringTurn(app, there, ['Go ahead.']);
    await there.owner.patch(there.path(`/agent-profiles/${there.profile('chat')}`), { status: 'disabled' });
    for (const turn of [over, live]) expect((await call(turn)).status).toBe(409);
    expect((await there.owner.get(there.path(`/actions/${id}`))).body.data.status).toBe('awaiting_approval');
  });

  it('refuses the opposite of what an owner decided', async () => {
    const { id } = await proposedAction(place);
    const turn = await turnAfter();
    await place.owner.post(place.path(`/actions/${id}/${verdict === 'approve' ? 'reject' : 'approve'}`), {});
    expect((await decide(turn, id, verdict)).body.error.code).toBe('state_conflict');
  });
});
