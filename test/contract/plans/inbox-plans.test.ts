import { beforeAll, describe, expect, it } from '@jest/globals';
import type { InboxListQuery } from '../../../src/modules/inbox/inbox-item.dto.ts';
import { inboxItemsOf, inboxSummary } from '../../../src/modules/inbox/inbox.queries.ts';
import { organizationOf, Person } from '../../support/client.ts';
import { explainIn, nodes } from '../../support/database/query-plans.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const CLOSED = 100_000;
const OPEN = 1_000;
const PAGE = { limit: 10, order: 'desc' } as const;
const NONE = '00000000-0000-7000-8000-000000000000';
const LONG_AGO = '2020-01-01T00:00:00.000000Z';

const app = useTestApp({ ownDatabase: true });
const owner: Person = usePerson(app);
let organizationId: string;

beforeAll(async () => {
  organizationId = await organizationOf(owner);
  // Nearly all are acknowledged notifications; of the others there are few, and of open ones a tenth of a hundredth each kind.
  await app.db.query(
    `insert into inbox_item (organization_id, id, kind, purpose, status, severity, title, body, presentation, opened_by,
       task_id, response, closure, created_at, updated_at)
     select $1, gen_random_uuid(), k.kind, case when k.kind = 'question' then 'task' end,
       case when n > $2 then 'open' when k.kind = 'question' then 'answered' when n % 500 = 2 then 'expired'
         else 'acknowledged' end,
       case when k.kind = 'question' then 'action_required' else 'info' end, 'An item', 'Of some text', '{}', 'agent',
       gen_random_uuid(), case when n <= $2 and k.kind = 'question' then '{}'::jsonb end,
       case when n <= $2 then '{}'::jsonb end, at, at
     from generate_series(1, $2::int + $3::int) n,
       lateral (select clock_timestamp() - n * interval '1 minute' as at) t,
       lateral (select case when n > $2::int and n % 2 = 0 or n % 500 = 0 then 'question' else 'notification' end as kind) k`,
    [organizationId, CLOSED, OPEN],
  );
  await app.db.query('vacuum analyze inbox_item');
}, 60_000);

const both = [
  ['the values known', false],
  ['a generic plan', true],
] as const;

describe.each(both)(`among ${CLOSED} closed and ${OPEN} open items, with %s`, (_what, generic) => {
  it('the summary is one index-only scan of the open ones', async () => {
    const plan = await explainIn(app, organizationId, inboxSummary(organizationId), generic);
    const scans = [...nodes(plan)].filter((node) => node['Relation Name'] !== undefined);
    expect(scans).toMatchObject([
      { 'Node Type': 'Index Only Scan', 'Index Name': 'inbox_item_open', 'Actual Rows': OPEN, 'Actual Loops': 1 },
    ]);
  });

  it.each<[string, Partial<InboxListQuery>]>([
    ['all', {}],
    ['what is open', { status: ['open'] }],
    ['open questions, oldest first', { status: ['open'], kind: ['question'], order: 'asc' }],
    ['open of a kind that has none', { status: ['open'], kind: ['approval', 'reconciliation'] }],
    ['what was answered', { status: ['answered'] }],
    ['what was resolved or withdrawn', { status: ['resolved', 'withdrawn'] }],
    ['what has expired', { status: ['open', 'expired'] }],
    ['questions', { kind: ['question'] }],
    ['what was acknowledged of a kind that has none', { kind: ['approval'], status: ['acknowledged'] }],
    ['questions for learning that are open', { purpose: ['learning_input'], status: ['open'], kind: ['notification'] }],
    ['what takes an action', { severity: ['action_required'] }],
    ['what there is to know', { severity: ['info'] }],
    ['long ago', { createdBefore: LONG_AGO }],
    ['since long ago', { createdAfter: LONG_AGO }],
    ['of a task', { taskId: NONE }],
    ['of a chat', { chatId: NONE, status: ['acknowledged'] }],
    ['of a run', { runId: NONE, kind: ['notification'] }],
    ['of an action', { actionId: NONE }],
  ])('a page of %s reads some pages of rows', async (_page, filters) => {
    const [query] = inboxItemsOf(organizationId, { ...PAGE, ...filters }).statements();
    const plan = await explainIn(app, organizationId, query!, generic);
    const read = [...nodes(plan)]
      .filter((node) => node['Relation Name'] === 'inbox_item' || node['Node Type'] === 'Bitmap Index Scan')
      .map((node) => (node['Actual Rows']! + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']!);
    expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(10 * PAGE.limit);
  });
});
