import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganization, organizationOf } from '../../support/client.ts';
import { closeNotice, itemRow, openNotice } from '../../support/factories/inbox.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let organizationId: string;

beforeAll(async () => {
  organizationId = await organizationOf(owner);
});

const path = (rest = '', organization = organizationId) => `/organizations/${organization}/human-inbox${rest}`;
const listed = async (query: string, organization = organizationId): Promise<string[]> => {
  const { status, body, text } = await owner.get(path(`?${query}`, organization));
  if (status !== 200) throw new Error(text);
  return body.data.map(({ id }: { id: string }) => id);
};
const close = (id: string) =>
  app.db.query(
    `update inbox_item set status = 'withdrawn', closure = '{"at": "2026-03-01T09:30:00.000000Z"}' where id = $1`,
    [id],
  );

describe('GET /organizations/{organizationId}/human-inbox: 200', () => {
  it('lists the newest first, on request the oldest, page by page and back', async () => {
    const organization = await organizationOf(owner);
    const ids: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) ids.push(await openNotice(app, organization));
    for (const filter of ['', 'status=open', 'kind=notification', 'createdAfter=2020-01-01T00:00:00Z']) {
      const query = (rest: string) => path(`?${filter}&limit=2&${rest}`, organization);
      const first = await owner.get(query(''));
      const second = await owner.get(query(`cursor=${first.body.pagination.nextCursor}`));
      const third = await owner.get(query(`cursor=${second.body.pagination.nextCursor}`));
      const shown = [first, second, third].map(({ body }) => body.data.map(({ id }: { id: string }) => id));
      expect(shown).toEqual([[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]);
      expect(third.body.pagination).toMatchObject({ nextCursor: null, hasPreviousPage: true });
      const back = await owner.get(query(`cursor=${third.body.pagination.previousCursor}`));
      expect(back.body.data).toEqual(second.body.data);
      expect(await listed(`${filter}&order=asc`, organization)).toEqual(ids);
    }
  });

  it('shows what passes every filter', async () => {
    const organization = await organizationOf(owner);
    const [taskId, chatId, runId, actionId] = Array.from({ length: 4 }, () => randomUUID());
    const item = (row: Parameters<typeof itemRow>[2]) => itemRow(app, organization, row);
    const question = await item({ task_id: taskId, run_id: runId });
    const learning = await item({ purpose: 'learning_input', severity: 'attention' });
    const answered = await item({ status: 'answered', task_id: taskId });
    const notice = await item({ kind: 'notification', chat_id: chatId });
    const approval = await item({ kind: 'approval', action_id: actionId });
    const all = [approval, notice, answered, learning, question];
    const cases: [string, string[]][] = [
      ['', all],
      ['status=open', [approval, notice, learning, question]],
      ['status=answered&status=open', all],
      ['status=expired', []],
      ['kind=question', [answered, learning, question]],
      ['kind=question&kind=approval&status=open', [approval, learning, question]],
      ['severity=action_required', [approval, answered, question]],
      ['severity=info&severity=attention', [notice, learning]],
      ['purpose=learning_input', [learning]],
      ['purpose=task&status=open', [question]],
      ['purpose=task&kind=approval', []],
      [`taskId=${taskId}`, [answered, question]],
      [`taskId=${taskId}&status=open`, [question]],
      [`chatId=${chatId}`, [notice]],
      [`runId=${runId!.toUpperCase()}`, [question]],
      [`actionId=${actionId}&kind=approval`, [approval]],
      ['createdBefore=2020-01-01T00:00:00Z', []],
      ['updatedAfter=2020-01-01T00:00:00Z', all],
    ];
    for (const [query, expected] of cases)
      expect([query, await listed(query, organization)]).toEqual([query, expected]);
  });

  it('goes on behind items that have left the filter, and repeats and hides none', async () => {
    const organization = await organizationOf(owner);
    const ids: string[] = [];
    for (let nth = 0; nth < 6; nth += 1) ids.unshift(await openNotice(app, organization));
    const first = await owner.get(path('?status=open&limit=2', organization));
    // The last one shown, one that was shown before it, and one that was not shown yet.
    for (const id of [ids[1]!, ids[0]!, ids[3]!]) await close(id);
    const added = await openNotice(app, organization);
    const second = await owner.get(
      path(`?status=open&limit=2&cursor=${first.body.pagination.nextCursor}`, organization),
    );
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[4]]);
    expect(await listed('status=open', organization)).toEqual([added, ids[2], ids[4], ids[5]]);
  });

  it('counts what the backend opens again, with the newest text, until it is closed', async () => {
    const organization = await organizationOf(owner);
    const notice = { dedupeKey: 'provider-down', title: 'The provider is down' };
    const first = await openNotice(app, organization, notice);
    expect(await openNotice(app, organization, { ...notice, title: 'The provider is still down' })).toBe(first);
    const other = await openNotice(app, organization, { dedupeKey: 'another' });
    await closeNotice(app, organization, { dedupeKey: 'provider-down' }, { reason: 'provider_up' });
    const second = await openNotice(app, organization, notice);
    const { body } = await owner.get(path('?order=asc', organization));
    expect(body.data).toMatchObject([
      {
        id: first,
        status: 'withdrawn',
        title: 'The provider is still down',
        occurrences: 2,
        openedBy: { kind: 'system', profileKey: null },
        closure: { by: null, reason: 'provider_up' },
      },
      { id: other, status: 'open', occurrences: 1 },
      { id: second, status: 'open', occurrences: 1, closure: null },
    ]);
    const log = await owner.get(`/organizations/${organization}/activity?subjectId=${first}`);
    expect(log.body.data.map(({ verb }: { verb: string }) => verb)).toEqual([
      'inbox_item.withdrawn',
      'inbox_item.opened',
    ]);
  });
});

describe('GET /organizations/{organizationId}/human-inbox: 400', () => {
  it.each([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=101', 'limit', 'out_of_range'],
    ['order=newest', 'order', 'unknown_value'],
    ['status=closed', 'status', 'invalid_item'],
    ['kind=question&kind=question', 'kind', 'duplicate_item'],
    ['severity=low', 'severity', 'invalid_item'],
    ['purpose=chat', 'purpose', 'invalid_item'],
    ['taskId=GRO-1', 'taskId', 'invalid_uuid'],
    ['createdAfter=today', 'createdAfter', 'invalid_timestamp'],
    ['cursor=abc', 'cursor', 'invalid_cursor'],
    [`cursor=${'a'.repeat(2_001)}`, 'cursor', 'invalid_length'],
    ['organizationId=1', 'organizationId', 'unknown_property'],
  ])('%s', async (query, at, code) => {
    const { status, body } = await owner.get(path(`?${query}`));
    expect([status, body.error]).toMatchObject([400, { code: 'validation_failed', issues: [{ path: at, code }] }]);
  });

  it('refuses a cursor of another organization, of other filters, of another order, and an altered one', async () => {
    const organization = await organizationOf(owner);
    for (const each of [organization, organization, organizationId, organizationId]) await openNotice(app, each);
    const { body } = await owner.get(path('?limit=1&status=open', organization));
    const cursor: string = body.pagination.nextCursor;
    const altered = Buffer.from(
      Buffer.from(cursor, 'base64url')
        .toString()
        .replace(/.{3}"\]$/, '000"]'),
    ).toString('base64url');
    for (const [query, at] of [
      [`limit=1&status=open&cursor=${cursor}`, organizationId],
      [`limit=1&cursor=${cursor}`, organization],
      [`limit=1&status=open&order=asc&cursor=${cursor}`, organization],
      [`limit=1&status=open&kind=notification&cursor=${cursor}`, organization],
      [`limit=1&status=open&cursor=${altered}`, organization],
    ] as const) {
      const { status, body: refused } = await owner.get(path(`?${query}`, at));
      expect([query, status, refused.error?.issues]).toMatchObject([
        query,
        400,
        [{ path: 'cursor', code: 'invalid_cursor' }],
      ]);
    }
    // The size of a page may change.
    expect((await owner.get(path(`?limit=3&status=open&cursor=${cursor}`, organization))).status).toBe(200);
  });
});

describe('GET /organizations/{organizationId}/inbox/summary: 200', () => {
  it('counts the open items by kind', async () => {
    const organization = await organizationOf(owner);
    const summary = async () => (await owner.get(`/organizations/${organization}/inbox/summary`)).body.data;
    expect(await summary()).toEqual({ questions: 0, notifications: 0, approvals: 0, reconciliation: 0, total: 0 });
    for (const kind of ['question', 'question', 'notification', 'approval', 'approval', 'approval', 'reconciliation'])
      await itemRow(app, organization, { kind });
    for (const status of ['answered', 'expired', 'withdrawn']) await itemRow(app, organization, { status });
    expect(await summary()).toEqual({ questions: 2, notifications: 1, approvals: 3, reconciliation: 1, total: 7 });
  });
});

describe('GET …/human-inbox/{inboxItemId}: 200', () => {
  it('shows the whole item', async () => {
    const actionId = randomUUID();
    const expiresAt = '2099-03-01T09:30:00.000000Z';
    const presentation = { summary: 'It sends 40 mails.', allowFreeText: false };
    const id = await openNotice(app, organizationId, {
      kind: 'approval',
      severity: 'action_required',
      title: 'Send the mails?',
      presentation,
      actionId,
      expiresAt,
    });
    const { status, body } = await owner.get(path(`/${id.toUpperCase()}`));
    expect([status, body.data]).toEqual([
      200,
      {
        id,
        organizationId,
        kind: 'approval',
        purpose: null,
        status: 'open',
        severity: 'action_required',
        title: 'Send the mails?',
        body: 'It happened.',
        presentation,
        openedBy: { kind: 'system', profileKey: null },
        taskId: null,
        runId: null,
        chatId: null,
        actionId,
        blocking: false,
        occurrences: 1,
        response: null,
        closure: null,
        expiresAt,
        createdAt: body.data.createdAt,
        updatedAt: body.data.createdAt,
      },
    ]);
    const by = { kind: 'human', id: null, name: 'Ada' } as const;
    await closeNotice(app, organizationId, { actionId, kind: 'approval' }, { status: 'resolved', by });
    const { data } = (await owner.get(path(`/${id}`))).body;
    expect(data).toMatchObject({ status: 'resolved', closure: { by, reason: null, at: data.updatedAt } });
    // What is closed stays as it is.
    await closeNotice(app, organizationId, { actionId, kind: 'approval' }, { status: 'expired' });
    expect((await owner.get(path(`/${id}`))).body.data).toEqual(data);
  });
});

describe('GET …/human-inbox/{inboxItemId}: 404', () => {
  it('for an unknown item, and one of another organization', async () => {
    const { organization: other } = (await createOrganization(owner)).body.data;
    for (const id of [randomUUID(), await openNotice(app, other.id)]) {
      const { status, body } = await owner.get(path(`/${id}`));
      expect([status, body.error.code]).toEqual([404, 'human_inbox_item_not_found']);
    }
  });

  it('for a stranger, as if nothing were there', async () => {
    const id = await openNotice(app, organizationId);
    const stranger = await app.person();
    for (const each of [path(), path(`/${id}`), `/organizations/${organizationId}/inbox/summary`]) {
      const { status, body } = await stranger.get(each);
      expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
    }
  });
});

describe('401', () => {
  it('runtimes and executions are no owners', async () => {
    const execution = await app.execution({ organizationId });
    for (const client of [app.service, execution, app.anonymous])
      for (const each of [path(), path(`/${randomUUID()}`), `/organizations/${organizationId}/inbox/summary`]) {
        const { status, body } = await client.get(each);
        expect([status, body.error.code]).toEqual([401, 'owner_unauthorized']);
      }
  });
});
