import { randomUUID } from 'node:crypto';
import { describe, expect, it, beforeEach } from '@jest/globals';
import { canonicalDigest } from '../../../src/kernel/crypto/index.ts';
import {
  answeringTurn,
  itemsOf,
  proposal,
  propose,
  STANDING,
  useProbe,
  verbsOf,
} from '../../support/factories/actions.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);
const probe = useProbe(app);
beforeEach(() => {
  probe.standsAs = STANDING;
});

describe('POST …/actions: 201', () => {
  it('proposes what a run wants done, and puts it before a person', async () => {
    const { agent, taskId, runId } = await place.run();
    const { status, body } = await propose(agent, place, { arguments: { b: 2, a: [1, null] } });
    const digested = { kind: 'tool_call', connectorKey: 'probe', toolName: 'post', arguments: { a: [1, null], b: 2 } };
    expect([status, body.data]).toEqual([
      201,
      {
        id: expect.any(String),
        reference: expect.stringMatching(/^A-[0-9A-HJKMNP-TV-Z]{6}$/),
        organizationId: place.organizationId,
        kind: 'tool_call',
        title: 'Publish the note',
        summary: 'Posts the note to the site.',
        connectorKey: 'probe',
        integrationId: null,
        toolName: 'post',
        argumentsDigest: canonicalDigest(digested),
        arguments: { a: [1, null], b: 2 },
        preview: JSON.stringify({ b: 2, a: [1, null] }, null, 2),
        taskId,
        taskVersion: 1,
        runId,
        chatId: null,
        chatMessageId: null,
        agentProfileId: place.profile(),
        risk: 'external',
        policy: { approvalRequired: true, reasons: ['risk'], catalogRisk: 'external', callerRisk: null },
        approvalRequired: true,
        decision: null,
        status: 'awaiting_approval',
        revision: 1,
        authorizationEpoch: 1,
        result: null,
        error: null,
        reconciliation: null,
        dedupeKey: canonicalDigest(digested),
        inboxItemId: expect.any(String),
        expiresAt: expect.any(String),
        sentAt: null,
        finishedAt: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(await itemsOf(app, body.data.id)).toEqual([{ kind: 'approval', status: 'open' }]);
    expect(await verbsOf(app, body.data.id)).toEqual(['action.proposed']);
    const { rows } = await app.db.query(
      `select i.title, i.body, i.severity, i.task_id as task from inbox_item i where i.id = $1`,
      [body.data.inboxItemId],
    );
    expect(rows).toEqual([
      {
        title: `Approve ${body.data.reference}: Publish the note`,
        body: expect.stringContaining(`/approve ${body.data.reference}`),
        severity: 'action_required',
        task: taskId,
      },
    ]);
  });

  it('is approved at once where no rule asks for a person', async () => {
    probe.standsAs = { ...STANDING, risk: 'low' };
    const { agent } = await place.run();
    const { status, body } = await propose(agent, place);
    expect([status, body.data]).toMatchObject([
      201,
      {
        status: 'approved',
        approvalRequired: false,
        risk: 'low',
        inboxItemId: null,
        decision: { kind: 'policy', by: null, channel: 'policy', messageId: null },
      },
    ]);
    expect(await itemsOf(app, body.data.id)).toEqual([]);
    expect(await verbsOf(app, body.data.id)).toEqual(['action.proposed', 'action.approved']);
  });

  it.each([
    ['the connector’s access mode', { risk: 'low', approvalReasons: ['access_mode'] }, {}, ['access_mode']],
    ['a tool that is to be reviewed', { risk: 'low', approvalReasons: ['tool_review'] }, {}, ['tool_review']],
    ['the caller’s risk', { risk: 'low' }, { risk: 'high' }, ['risk']],
    ['the catalog’s risk, whatever the caller says', { risk: 'high' }, { risk: 'low' }, ['risk']],
  ] as const)('awaits approval by %s', async (_what, standing, change, reasons) => {
    probe.standsAs = { ...STANDING, ...standing };
    const { agent } = await place.run();
    const { body } = await propose(agent, place, change);
    expect(body.data).toMatchObject({ status: 'awaiting_approval', policy: { reasons } });
  });

  it('takes what a turn of the chat profile wants done', async () => {
    const { agent, chatId, messageId } = await answeringTurn(app, place, ['Publish it, please.']);
    const { status, body } = await propose(agent, place);
    expect([status, body.data]).toMatchObject([
      201,
      { taskId: null, taskVersion: null, runId: null, chatId, chatMessageId: messageId, status: 'awaiting_approval' },
    ]);
  });

  it('shows characters that cannot be seen, and leaves the arguments as they are sent', async () => {
    const { agent } = await place.run();
    const given = { '\u202Ekey': '\u009B2J\u200B' };
    const { body } = await propose(agent, place, { arguments: given, title: 'pay \u202E00.1$', summary: 'שלום 👩‍🚀' });
    const escaped = String.raw`"\u{202e}key": "\u{9b}2J\u{200b}"`;
    expect(body.data).toMatchObject({
      arguments: given,
      title: String.raw`pay \u{202e}00.1$`,
      summary: 'שלום 👩‍🚀',
      preview: `{\n  ${escaped}\n}`,
    });
    const { data: item } = (await place.owner.get(place.path(`/human-inbox/${body.data.inboxItemId}`))).body;
    expect(item.title).toContain(body.data.title);
    expect(item.body).toContain(escaped);
  });

  it('keeps the same arguments of another task or key apart', async () => {
    const given = { arguments: { same: true } };
    const [first, second] = [await place.run(), await place.run()];
    const answers = [
      await propose(first.agent, place, given),
      await propose(second.agent, place, given),
      await propose(first.agent, place, { ...given, dedupeKey: 'again' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(3);
  });

  it('takes 256 KiB, keeps 32 KiB of the preview and lists 2', async () => {
    const { agent, taskId } = await place.run();
    const { status, body } = await propose(agent, place, {
      arguments: { text: 'a'.repeat(256 * 1024 - '{"text":""}'.length) },
    });
    expect([status, body.data.preview.length]).toEqual([201, 32 * 1024]);
    const listed = await place.owner.get(place.path(`/actions?taskId=${taskId}`));
    expect(listed.body.data[0].preview).toHaveLength(2 * 1024);
  });
});

describe('POST …/actions: 200', () => {
  it('answers the same key and digest with the action in whatever status, and notes the run’s receipt', async () => {
    const { agent, taskId, runId } = await place.run();
    const body = proposal({ dedupeKey: 'note' });
    const first = await agent.post(place.agentPath('/actions'), body);
    const { id } = first.body.data;
    await place.owner.post(place.path(`/actions/${id}/reject`), {});
    await app.db.query('update task set version = 7 where id = $1', [taskId]);
    const again = await agent.post(place.agentPath('/actions'), { ...body, title: 'In other words' });
    expect([again.status, again.body.data]).toMatchObject([
      200,
      { id, status: 'rejected', title: 'Publish the note', taskVersion: 1 },
    ]);
    const { rows } = await app.db.query(
      'select run_id as "runId", task_version as "taskVersion" from action_receipt where action_id = $1',
      [id],
    );
    expect(rows).toEqual([{ runId, taskVersion: 7 }]);
  });

  it('answers so when the budget is used up', async () => {
    const { agent } = await place.run({ task: { max_actions: 1 } });
    const body = proposal();
    const answers = [1, 2].map(() => agent.post(place.agentPath('/actions'), body));
    expect((await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 201]);
  });
});

describe('POST …/actions: 400', () => {
  it.each([
    [{ kind: 'git_push' }, 'kind', 'unknown_value'],
    [{ kind: 'webhook_call', connectorKey: 'probe' }, 'connectorKey', 'unknown_reference'],
    [{ connectorKey: 'unheard-of' }, 'connectorKey', 'unknown_reference'],
    [{ connectorKey: 'Probe' }, 'connectorKey', 'invalid_slug'],
    [{ toolName: '' }, 'toolName', 'invalid_length'],
    [{ arguments: [] }, 'arguments', 'wrong_type'],
    [{ arguments: undefined }, 'arguments', 'required'],
    [{ arguments: { text: 'a'.repeat(256 * 1024) } }, 'arguments', 'too_large'],
    [{ title: ' ' }, 'title', 'invalid_length'],
    [{ summary: ' ' }, 'summary', 'blank'],
    [{ title: '\u001B[2J' }, 'title', 'invalid_text'],
    [{ summary: 'Harmless.\u009B2J' }, 'summary', 'invalid_text'],
    [{ summary: 'a'.repeat(4_001) }, 'summary', 'invalid_length'],
    [{ risk: 'none' }, 'risk', 'unknown_value'],
    [{ dedupeKey: 'a'.repeat(201) }, 'dedupeKey', 'invalid_length'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', 'out_of_range'],
    [{ expiresAt: '2999-01-01T00:00:00Z' }, 'expiresAt', 'out_of_range'],
    [{ decision: { kind: 'approve' } }, 'decision', 'unknown_property'],
    [{ approvalRequired: false }, 'approvalRequired', 'unknown_property'],
  ])('refuses %j', async (change, path, code) => {
    const { agent } = await place.run();
    const { status, body } = await propose(agent, place, change);
    expect([status, body.error.issues]).toMatchObject([400, [{ path, code }]]);
  });
});

describe('POST …/actions: 401', () => {
  it('refuses owners, runtimes, and executions of another organization', async () => {
    for (const client of [place.owner, app.service, await app.execution({ organizationId: randomUUID() })])
      expect(await propose(client, place)).toMatchObject({
        status: 401,
        body: { error: { code: 'agent_unauthorized' } },
      });
  });
});

describe('POST …/actions: 409', () => {
  it('refuses another action under a key that is taken', async () => {
    const { agent } = await place.run();
    await propose(agent, place, { dedupeKey: 'note' });
    const { status, body } = await propose(agent, place, { dedupeKey: 'note' });
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });

  it('refuses more than the task’s budget, and more than 20 of a turn', async () => {
    const run = await place.run({ task: { max_actions: 2 } });
    const turn = await answeringTurn(app, place, ['Publish them all.']);
    for (const [agent, most] of [
      [run.agent, 2],
      [turn.agent, 20],
    ] as const) {
      const answers = await Promise.all(Array.from({ length: most + 3 }, () => propose(agent, place)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        ...Array.from({ length: most }, () => 201),
        409,
        409,
        409,
      ]);
      expect(
        answers.filter(({ status }) => status === 409).every(({ body }) => body.error.code === 'budget_exhausted'),
      ).toBe(true);
    }
  });

  it('refuses a run that is over, one whose task has ended, and one of a disabled profile', async () => {
    const over = await place.run();
    await app.db.query(`update run set status = 'succeeded' where id = $1`, [over.runId]);
    const ended = await place.run();
    await app.db.query(`update task set status = 'cancelled' where id = $1`, [ended.taskId]);
    const disabled = await place.run({}, 'support');
    await place.owner.patch(place.path(`/agent-profiles/${place.profile('support')}`), { status: 'disabled' });
    for (const { agent, taskId } of [over, ended, disabled]) {
      expect(await propose(agent, place)).toMatchObject({ status: 409 });
      const { rows } = await app.db.query('select from action where task_id = $1', [taskId]);
      expect(rows).toEqual([]);
    }
  });
});
