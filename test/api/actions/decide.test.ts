import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  itemsOf,
  type ProposedAction,
  proposedAction,
  STANDING,
  useProbe,
  verbsOf,
} from '../../support/factories/actions.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);
const probe = useProbe(app);
beforeEach(() => {
  probe.standsAs = STANDING;
});

const VERDICTS = ['approve', 'reject'] as const;
const STATUS = { approve: 'approved', reject: 'rejected' } as const;
const OPPOSITE = { approve: 'reject', reject: 'approve' } as const;
type Verdict = (typeof VERDICTS)[number];

const decide = ({ id }: Pick<ProposedAction, 'id'>, verdict: Verdict, body: object = {}) =>
  place.owner.post(place.path(`/actions/${id}/${verdict}`), body);
const read = async ({ id }: ProposedAction) => (await place.owner.get(place.path(`/actions/${id}`))).body.data;
const set = ({ id }: ProposedAction, change: string) => app.db.query(`update action set ${change} where id = $1`, [id]);

describe.each(VERDICTS)('POST …/actions/{id}/%s: 200', (verdict) => {
  it('decides, closes the item and says whose decision it was', async () => {
    const action = await proposedAction(place);
    const { status, body } = await decide(action, verdict, {
      comment: 'As we said.',
      expectedRevision: 1,
      expectedDigest: action.argumentsDigest.toUpperCase(),
    });
    expect([status, body.data]).toMatchObject([
      200,
      {
        status: STATUS[verdict],
        revision: 2,
        decision: {
          kind: verdict,
          by: { kind: 'owner', name: 'somebody' },
          at: expect.any(String),
          comment: 'As we said.',
          channel: 'owner',
          messageId: null,
        },
        finishedAt: verdict === 'reject' ? expect.any(String) : null,
      },
    ]);
    expect(body.data).toEqual(await read(action));
    expect(await itemsOf(app, action.id)).toEqual([{ kind: 'approval', status: 'resolved' }]);
    expect(await verbsOf(app, action.id)).toEqual(['action.proposed', `action.${STATUS[verdict]}`]);
    const { rows } = await app.db.query('select closure from inbox_item where id = $1', [action.inboxItemId]);
    expect(rows).toMatchObject([{ closure: { by: { kind: 'owner', name: 'somebody' }, reason: 'As we said.' } }]);
  });

  it('answers a repeat as the first time, whatever the action became, and decides once', async () => {
    const action = await proposedAction(place);
    const body = { comment: 'Yes.', expectedRevision: 1, expectedDigest: action.argumentsDigest };
    const first = await decide(action, verdict, body);
    const repeats = [await decide(action, verdict, body), await decide(action, verdict, { comment: 'Another one.' })];
    if (verdict === 'approve') {
      await set(action, `status = 'succeeded', finished_at = clock_timestamp()`);
      repeats.push(await decide(action, verdict, body));
      expect(repeats.at(-1)!.body.data.status).toBe('succeeded');
    }
    for (const repeat of repeats)
      expect([repeat.status, repeat.body.data.decision]).toEqual([200, first.body.data.decision]);
    expect(await verbsOf(app, action.id)).toHaveLength(2);
  });
});

describe.each(VERDICTS)('POST …/actions/{id}/%s: 400', (verdict) => {
  it.each([
    [{ comment: 'a'.repeat(2_001) }, 'comment'],
    [{ comment: '' }, 'comment'],
    [{ expectedRevision: 0 }, 'expectedRevision'],
    [{ expectedDigest: 'abc' }, 'expectedDigest'],
    [{ kind: 'approve' }, 'kind'],
    [{ decision: 'approve' }, 'decision'],
  ])('refuses %j', async (body, path) => {
    const action = await proposedAction(place);
    const answer = await decide(action, verdict, body);
    expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, path]);
    expect((await read(action)).status).toBe('awaiting_approval');
  });
});

describe.each(VERDICTS)('POST …/actions/{id}/%s: 401', (verdict) => {
  it('refuses tokens without the scope, viewers, runs and runtimes', async () => {
    const action = await proposedAction(place);
    const limited = async (scopes: string[]) =>
      app.client((await place.owner.post('/owner-tokens', { name: 'limited', scopes })).body.data.token);
    const viewer = await app.person();
    await place.owner.put(place.path(`/members/${viewer.subject}`), { role: 'viewer' });
    const { agent } = await place.run();
    const callers = [await limited(['read', 'work', 'settings']), viewer, agent, app.service];
    for (const caller of callers)
      expect((await caller.post(place.path(`/actions/${action.id}/${verdict}`), {})).status).toBe(401);
    expect((await read(action)).status).toBe('awaiting_approval');
    const decider = await limited(['decide']);
    expect((await decider.post(place.path(`/actions/${action.id}/${verdict}`), {})).status).toBe(200);
  });
});

describe.each(VERDICTS)('POST …/actions/{id}/%s: 404', (verdict) => {
  it('does not know actions of others', async () => {
    const action = await proposedAction(place);
    const there = await Workplace.open(app);
    const [other, foreign] = [
      await there.owner.post(there.path(`/actions/${action.id}/${verdict}`), {}),
      await there.owner.post(place.path(`/actions/${action.id}/${verdict}`), {}),
    ];
    expect([other.status, other.body.error.code]).toEqual([404, 'not_found']);
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'organization_not_found']);
    expect((await decide({ id: randomUUID() }, verdict)).status).toBe(404);
    expect((await read(action)).status).toBe('awaiting_approval');
  });
});

describe.each(VERDICTS)('POST …/actions/{id}/%s: 409', (verdict) => {
  it('refuses the opposite of what was decided', async () => {
    const action = await proposedAction(place);
    await decide(action, OPPOSITE[verdict]);
    expect(await decide(action, verdict)).toMatchObject({ status: 409, body: { error: { code: 'state_conflict' } } });
    expect((await read(action)).decision.kind).toBe(OPPOSITE[verdict]);
  });

  it('refuses another digest and another revision', async () => {
    const action = await proposedAction(place);
    for (const body of [{ expectedDigest: '0'.repeat(64) }, { expectedRevision: 2 }])
      expect((await decide(action, verdict, body)).status).toBe(409);
    expect((await read(action)).status).toBe('awaiting_approval');
  });

  it.each([
    [`status = 'expired'`],
    [`status = 'cancelled'`],
    [`expires_at = clock_timestamp() - interval '1 ms'`],
    [`status = 'reconciliation_required', decision = '{"kind": "policy"}'`],
  ])('refuses one with %s', async (change) => {
    const action = await proposedAction(place);
    await set(action, change);
    expect((await decide(action, verdict)).status).toBe(409);
  });

  it('refuses what the policy approved', async () => {
    probe.standsAs = { ...STANDING, risk: 'low' };
    const action = await proposedAction(place);
    expect((await decide(action, verdict)).status).toBe(409);
    expect((await read(action)).decision.kind).toBe('policy');
  });

  it('refuses one whose repeat comes when it has expired', async () => {
    const action = await proposedAction(place);
    await decide(action, verdict);
    await set(action, `status = 'expired'`);
    expect((await decide(action, verdict)).status).toBe(409);
  });
});

describe('POST …/actions/{id}/approve: 409 for what has changed', () => {
  it.each([
    ['a bound fact', { ...STANDING, facts: { tool: '2' } }, 'tool'],
    ['a bound fact that is gone', { ...STANDING, facts: {} }, 'tool'],
    ['what it is sent by', undefined, 'connector'],
  ])('expires the action with %s', async (_what, standing, fact) => {
    const action = await proposedAction(place);
    probe.standsAs = standing;
    const { status, body } = await decide(action, 'approve');
    expect([status, body.error]).toMatchObject([409, { code: 'state_conflict', issues: [{ code: 'fact_changed' }] }]);
    expect(await read(action)).toMatchObject({
      status: 'expired',
      decision: null,
      error: { code: 'fact_changed', fact },
    });
    expect(await itemsOf(app, action.id)).toEqual([{ kind: 'approval', status: 'expired' }]);
    expect(await verbsOf(app, action.id)).toEqual(['action.proposed', 'action.expired']);
  });

  it('expires the action of a disabled profile', async () => {
    const there = await Workplace.open(app);
    const { id } = await proposedAction(there);
    await there.owner.patch(there.path(`/agent-profiles/${there.profile()}`), { status: 'disabled' });
    expect((await there.owner.post(there.path(`/actions/${id}/approve`), {})).status).toBe(409);
    expect((await there.owner.get(there.path(`/actions/${id}`))).body.data).toMatchObject({
      status: 'expired',
      error: { code: 'fact_changed', fact: 'agent_profile' },
    });
  });

  it('minds nothing else: what is new, a risk that is higher, another integration’s change', async () => {
    const action = await proposedAction(place);
    probe.standsAs = { ...STANDING, risk: 'high', facts: { ...STANDING.facts, more: '1' } };
    await app.db.query('update organization set authorization_epoch = authorization_epoch + 1 where id = $1', [
      place.organizationId,
    ]);
    expect((await decide(action, 'approve')).status).toBe(200);
  });

  it('refuses what cannot be used now, in the connector’s words, and keeps it', async () => {
    const action = await proposedAction(place);
    probe.standsAs = { ...STANDING, unusable: 'The connector is disabled; enable it first.' };
    const { status, body } = await decide(action, 'approve');
    expect([status, body.message]).toEqual([409, 'The connector is disabled; enable it first.']);
    expect(body.error.issues).toMatchObject([{ code: 'unusable' }]);
    expect((await read(action)).status).toBe('awaiting_approval');
    expect((await decide(action, 'reject')).status).toBe(200);
  });
});
