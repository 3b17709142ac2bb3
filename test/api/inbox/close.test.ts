import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { InboxAnswered, type AnsweredQuestion } from '../../../src/modules/inbox/index.ts';
import { type Answer, organizationOf } from '../../support/client.ts';
import { blockedTask, itemRow, openNotice } from '../../support/factories/inbox.ts';
import { createTask, readTask, requestsOf } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();

const path = (id: string, verb = '') => `/organizations/${organization.id}/human-inbox/${id}${verb}`;
const respond = (id: string, response: unknown, headers?: Record<string, string>): Promise<Answer> =>
  owner.post(path(id, '/respond'), { response }, headers);
const acknowledge = (id: string): Promise<Answer> => owner.post(path(id, '/acknowledge'));
const item = (row: Parameters<typeof itemRow>[2] = {}) => itemRow(app, organization.id, row);
const verbsOf = async (id: string): Promise<string[]> => {
  const { body } = await owner.get(`/organizations/${organization.id}/activity?subjectId=${id}&order=asc`);
  return body.data.map(({ verb }: { verb: string }) => verb);
};
const options = [
  { id: 'wait', label: 'Wait' },
  { id: 'start', label: 'Start' },
];
const PAST = '2020-01-01T00:00:00.000000Z';

describe('POST …/human-inbox/{inboxItemId}/respond: 200', () => {
  it('records the response once, word for word, and lets the task go on', async () => {
    const { taskId, itemId } = await blockedTask(app, organization.id);
    expect((await owner.get(path(itemId))).body.data).toMatchObject({ status: 'open', blocking: true });
    const text = '  Take the old price.\n\n„Bis Freitag“ 🙂 ';
    const { status, body } = await respond(itemId, text);
    expect([status, body.data]).toMatchObject([
      200,
      {
        id: itemId,
        status: 'answered',
        blocking: false,
        response: {
          text,
          optionId: null,
          respondedBy: { kind: 'owner', id: owner.subject, name: 'somebody' },
          channel: 'owner',
          messageId: null,
        },
        closure: { by: { kind: 'owner', id: owner.subject }, reason: null },
      },
    ]);
    const { response, closure, updatedAt } = body.data;
    expect(response.respondedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect([response.respondedAt, closure.at].map((at) => at.slice(0, 23))).toEqual(
      [updatedAt, updatedAt].map((at: string) => at.slice(0, 23)),
    );
    expect((await owner.get(path(itemId))).body.data).toEqual(body.data);
    expect(await readTask(owner, organization.id, taskId)).toMatchObject({
      status: 'pending',
      version: 2,
      state: { blockers: [] },
    });
    expect(await requestsOf(app, taskId)).toEqual(['queued']);
    expect(await verbsOf(itemId)).toEqual(['inbox_item.answered']);
    // The same again changes nothing.
    const again = await respond(itemId, text);
    expect([again.status, again.body.data]).toEqual([200, body.data]);
    expect(await requestsOf(app, taskId)).toEqual(['queued']);
    expect(await verbsOf(itemId)).toEqual(['inbox_item.answered']);
  });

  it('leaves a task blocked that waits for something else too', async () => {
    const { taskId, itemId } = await blockedTask(app, organization.id);
    const other = { kind: 'action', actionId: randomUUID(), since: PAST };
    await app.db.query(`update task set blockers = blockers || jsonb_build_array($2::jsonb) where id = $1`, [
      taskId,
      JSON.stringify(other),
    ]);
    expect((await respond(itemId, 'yes')).status).toBe(200);
    expect(await readTask(owner, organization.id, taskId)).toMatchObject({
      status: 'blocked',
      state: { blockers: [{ kind: 'action' }] },
    });
    expect(await requestsOf(app, taskId)).toEqual([]);
  });

  it('knows an option by its id, and another text where one is allowed', async () => {
    const free = await item({ presentation: { options, allowFreeText: true } });
    expect((await respond(free, 'start')).body.data.response).toMatchObject({ text: 'start', optionId: 'start' });
    const other = await item({ presentation: { options, allowFreeText: true } });
    expect((await respond(other, 'Start')).body.data.response).toMatchObject({ text: 'Start', optionId: null });
  });

  it('lets a task of the backend’s question try again, with fresh attempts', async () => {
    const presentation = { options: [{ id: 'retry', label: 'Try again' }], allowFreeText: false };
    const { taskId, itemId } = await blockedTask(app, organization.id, { opened_by: 'system', presentation });
    expect((await respond(itemId, 'retry')).body.data.response).toMatchObject({ optionId: 'retry' });
    const { rows } = await app.db.query('select status, blockers, execute_failures from task where id = $1', [taskId]);
    expect(rows).toEqual([{ status: 'pending', blockers: [], execute_failures: 0 }]);
    expect(await requestsOf(app, taskId)).toEqual(['queued']);
  });

  it('cancels a task of the backend’s question with its tree', async () => {
    const presentation = { options: [{ id: 'cancel', label: 'Cancel' }], allowFreeText: false };
    const { taskId, itemId } = await blockedTask(app, organization.id, { opened_by: 'system', presentation });
    const child = await createTask(owner, organization.id, { parentRef: taskId });
    const grandchild = await createTask(owner, organization.id, { parentRef: child.id });
    const { status, body } = await respond(itemId, 'cancel');
    expect([status, body.data]).toMatchObject([200, { status: 'answered', response: { optionId: 'cancel' } }]);
    for (const id of [taskId, child.id, grandchild.id])
      expect(await readTask(owner, organization.id, id)).toMatchObject({ status: 'cancelled' });
    expect((await respond(itemId, 'cancel')).body.data).toEqual(body.data);
  });

  it('tells the module that follows a purpose, in the transaction, and moves no task', async () => {
    const heard: AnsweredQuestion[] = [];
    const port = app.app.get(InboxAnswered);
    const tell = port.answered.bind(port);
    jest.spyOn(port, 'answered').mockImplementation(async (tx, question) => {
      heard.push(question);
      await tell(tx, question);
      if (question.response.text === 'refuse') throw new Error('not now');
    });
    const { id: taskId } = await createTask(owner, organization.id);
    const runId = randomUUID();
    const learning = { purpose: 'learning_input', severity: 'attention', task_id: taskId, run_id: runId };
    const id = await item({ ...learning, presentation: { options, allowFreeText: true } });
    const before = await readTask(owner, organization.id, taskId);
    expect((await respond(id, 'refuse')).status).toBe(500);
    expect((await respond(id, 'wait')).status).toBe(200);
    expect((await respond(id, 'wait')).status).toBe(200);
    expect(await readTask(owner, organization.id, taskId)).toEqual(before);
    const question = { inboxItemId: id, purpose: 'learning_input', taskId, runId, profileKey: 'growth' };
    expect(heard).toEqual([
      { ...question, response: { text: 'refuse', optionId: null } },
      { ...question, response: { text: 'wait', optionId: 'wait' } },
    ]);
    jest.restoreAllMocks();
  });

  it('answers a repeated key as the first time', async () => {
    const id = await item();
    const key = { 'idempotency-key': randomUUID() };
    const first = await respond(id, 'yes', key);
    const second = await respond(id, 'yes', key);
    expect([second.status, second.headers['idempotent-replayed'], second.body.data]).toEqual([
      200,
      'true',
      first.body.data,
    ]);
    expect((await respond(id, 'no', key)).body.error.code).toBe('state_conflict');
  });
});

describe('POST …/human-inbox/{inboxItemId}/respond: 400', () => {
  it.each([
    [{}, 'response', 'required'],
    [{ response: '' }, 'response', 'invalid_length'],
    [{ response: ' \u200b ' }, 'response', 'blank'],
    [{ response: 'x'.repeat(10_001) }, 'response', 'invalid_length'],
    [{ response: 7 }, 'response', 'wrong_type'],
    [{ response: 'yes', optionId: 'yes' }, 'optionId', 'unknown_property'],
  ])('%j', async (body, at, code) => {
    const id = await item();
    const answer = await owner.post(path(id, '/respond'), body);
    expect([answer.status, answer.body.error.issues]).toMatchObject([400, [{ path: at, code }]]);
    expect((await owner.get(path(id))).body.data.status).toBe('open');
  });

  it('for another text than an option’s id, where only those count', async () => {
    const id = await item({ presentation: { options, allowFreeText: false } });
    for (const text of ['Wait', 'wait ', 'maybe']) {
      const { status, body } = await respond(id, text);
      expect([status, body.error.issues]).toMatchObject([400, [{ path: 'response', code: 'unknown_option' }]]);
    }
    expect((await respond(id, 'wait')).status).toBe(200);
  });
});

describe('POST …/human-inbox/{inboxItemId}/respond: 401', () => {
  it('for a viewer, a token without the scope, a runtime and an execution', async () => {
    const id = await item();
    const viewer = await app.person();
    await owner.put(`/organizations/${organization.id}/members/${viewer.subject}`, { role: 'viewer' });
    const { body } = await owner.post('/owner-tokens', { name: 'worker', scopes: ['read', 'work', 'settings'] });
    const execution = await app.execution({ organizationId: organization.id });
    for (const client of [viewer, app.client(body.data.token), app.service, execution]) {
      expect((await client.post(path(id, '/respond'), { response: 'yes' })).status).toBe(401);
      expect((await client.post(path(id, '/acknowledge'))).status).toBe(401);
    }
    expect((await owner.get(path(id))).body.data.status).toBe('open');
  });
});

describe('POST …/human-inbox/{inboxItemId}/respond: 404', () => {
  it('for an unknown item, and one of another organization', async () => {
    const other = await itemRow(app, await organizationOf(owner));
    for (const id of [randomUUID(), other])
      for (const { status, body } of [await respond(id, 'yes'), await acknowledge(id)])
        expect([status, body.error.code]).toEqual([404, 'human_inbox_item_not_found']);
  });
});

describe('POST …/human-inbox/{inboxItemId}/respond: 409', () => {
  it.each([
    [{ status: 'answered' }, 'human_inbox_item_not_open'],
    [{ status: 'withdrawn' }, 'human_inbox_item_not_open'],
    [{ status: 'expired' }, 'human_inbox_item_not_open'],
    [{ expires_at: PAST }, 'human_inbox_item_not_open'],
    [{ kind: 'notification' }, 'state_conflict'],
    [{ kind: 'approval' }, 'state_conflict'],
    [{ kind: 'reconciliation' }, 'state_conflict'],
  ])('%j: %s', async (row, code) => {
    const id = await item(row);
    const before = (await owner.get(path(id))).body.data;
    const { status, body } = await respond(id, 'another');
    expect([status, body.error.code]).toEqual([409, code]);
    expect((await owner.get(path(id))).body.data).toEqual(before);
  });
});

describe('POST …/human-inbox/{inboxItemId}/acknowledge: 200', () => {
  it('closes a notification', async () => {
    const id = await openNotice(app, organization.id);
    const { status, body } = await acknowledge(id);
    expect([status, body.data]).toMatchObject([
      200,
      {
        status: 'acknowledged',
        response: null,
        closure: { by: { kind: 'owner', id: owner.subject, name: 'somebody' }, reason: null },
      },
    ]);
    expect(await verbsOf(id)).toEqual(['inbox_item.opened', 'inbox_item.acknowledged']);
  });
});

describe('POST …/human-inbox/{inboxItemId}/acknowledge: 409', () => {
  it('for one that is closed or past its time', async () => {
    for (const row of [{ status: 'acknowledged' }, { status: 'withdrawn' }, { expires_at: PAST }]) {
      const { status, body } = await acknowledge(await item({ kind: 'notification', ...row }));
      expect([status, body.error.code]).toEqual([409, 'human_inbox_item_not_open']);
    }
  });

  it.each(['question', 'approval', 'reconciliation'])('for a %s', async (kind) => {
    const { status, body } = await acknowledge(await item({ kind }));
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });
});
