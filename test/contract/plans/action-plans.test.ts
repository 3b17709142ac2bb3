import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ActionListQuery } from '../../../src/modules/actions/action.dto.ts';
import { actionsOf } from '../../../src/modules/actions/actions.queries.ts';
import { organizationOf, Person } from '../../support/client.ts';
import { explainIn, nodes } from '../../support/database/query-plans.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const ENDED = 20_000;
const OPEN = 100;
const PAGE = { limit: 10, order: 'desc' } as const;
const NONE = '00000000-0000-7000-8000-000000000000';

const app = useTestApp({ ownDatabase: true });
const owner: Person = usePerson(app);
let organizationId: string;

beforeAll(async () => {
  organizationId = await organizationOf(owner);
  // The open ones are the oldest, and of a profile of their own.
  await app.db.query(
    `insert into action (organization_id, id, reference, kind, title, summary, connector_key, tool_name, arguments,
       arguments_digest, preview, task_id, agent_profile_id, risk, policy, approval_required, decision, status,
       authorization_epoch, facts, dedupe_key, expires_at)
     select $1, ('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid, 'A-' || n, 'tool_call', 'An action', 'Of some text',
       'probe', 'post', '{}', '', '', gen_random_uuid(), case when n <= $3 then $4::uuid else gen_random_uuid() end, 'external',
       '{}', true, case when n > $3 then '{"kind": "approve"}'::jsonb end,
       case when n <= $3 then 'awaiting_approval' when n % 2 = 0 then 'succeeded' else 'rejected' end, 1, '{}', n::text,
       'infinity'
     from generate_series(1, $2::int + $3::int) n`,
    [organizationId, ENDED, OPEN, NONE],
  );
  await app.db.query('vacuum analyze action');
}, 60_000);

describe.each([
  ['the values known', false],
  ['a generic plan', true],
] as const)(`among ${ENDED} ended and ${OPEN} open actions, with %s`, (_what, generic) => {
  it.each<[string, Partial<ActionListQuery>]>([
    ['all', {}],
    ['what awaits approval', { status: ['awaiting_approval'] }],
    ['what is unresolved', { status: ['awaiting_approval', 'approved', 'executing', 'reconciliation_required'] }],
    ['what was rejected, oldest first', { status: ['rejected'], order: 'asc' }],
    ['what nobody decided', { decided: false }],
    ['what somebody decided', { decided: true }],
    ['of a profile', { agentProfileId: NONE }],
    ['of a task', { taskId: NONE, status: ['succeeded'] }],
    ['of a chat', { chatId: NONE }],
  ])('a page of %s reads some pages of rows', async (_page, filters) => {
    const [query] = actionsOf(organizationId, { ...PAGE, ...filters }).statements();
    const plan = await explainIn(app, organizationId, query!, generic);
    const read = [...nodes(plan)]
      .filter((node) => node['Relation Name'] === 'action' || node['Node Type'] === 'Bitmap Index Scan')
      .map((node) => (node['Actual Rows']! + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']!);
    expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(10 * PAGE.limit);
  });
});
