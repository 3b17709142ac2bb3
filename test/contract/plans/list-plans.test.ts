import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { asSubject } from '../../../src/kernel/tenancy/index.ts';
import type { Statement } from '../../../src/kernel/database/index.ts';
import { chatsOf } from '../../../src/modules/chats/chats.queries.ts';
import { messagesOf } from '../../../src/modules/chats/messages/messages.queries.ts';
import { organizationsOf } from '../../../src/modules/organizations/organizations.queries.ts';
import { runsOf } from '../../../src/modules/runs/runs.queries.ts';
import { occurrencesOf, schedulesOf } from '../../../src/modules/schedules/schedules.queries.ts';
import { runRequestsOf } from '../../../src/modules/tasks/run-requests/run-requests.queries.ts';
import { dependenciesOf } from '../../../src/modules/tasks/graph/task-dependencies.queries.ts';
import { tasksOf } from '../../../src/modules/tasks/tasks.queries.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { entrant, organizationOf } from '../../support/client.ts';
import { explain, explainIn, nodes } from '../../support/database/query-plans.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** Far more than any walk below may read. */
const ENDED = 4_000;
const PAGE = { limit: 10, order: 'desc' } as const;
const NONE = '00000000-0000-7000-8000-000000000000';
const LONG_AGO = '2020-01-01T00:00:00.000000Z';

const app = useTestApp({ ownDatabase: true });
let organizationId: string;
let profileId: string;
let otherProfileId: string;
let chatId: string;

beforeAll(async () => {
  organizationId = await organizationOf(await app.person());
  chatId = await firstChat(app, organizationId);
  const { rows: profiles } = await app.db.query<{ id: string }>(
    `select id from agent_profile where organization_id = $1 and kind = 'department' order by key`,
    [organizationId],
  );
  [profileId, otherProfileId] = profiles.map(({ id }) => id) as [string, string];
  await seed();
}, 60_000);

/** A long history of work that went well, all by one profile. */
async function seed(): Promise<void> {
  const made = `gen_random_uuid(), clock_timestamp() - n * interval '1 minute'`;
  await app.db.query(
    `insert into task (organization_id, id, created_at, identifier_scope, identifier_number, root_task_id, owner_agent_profile_id, status,
       phase, title, max_agent_runs, max_attempts_per_phase, max_replans, max_actions, spec, dedupe_key)
     select $1, ${made}, 'SEE', n, gen_random_uuid(), $2, 'completed', 'execute', 'A task', 20, 3, 3, 20, '{}', n::text
     from generate_series(1, $3::int) n`,
    [organizationId, profileId, ENDED],
  );
  await app.db.query(
    `insert into run_request (organization_id, id, created_at, task_id, agent_profile_id, mode, status, execution_class, priority, dedupe_key,
       task_version, task_graph_revision, ready, available_at, max_attempts)
     select t.organization_id, ${made}, t.id, $2, 'execute', 'completed', 'standard', 0, '', 1, 1, true, now(), 3
     from (select *, row_number() over () as n from task where organization_id = $1) t`,
    [organizationId, profileId],
  );
  await app.db.query(
    `insert into run (organization_id, id, created_at, task_id, run_request_id, agent_profile_id, attempt, mode, status, task_version,
       catalog_revision, model, worker_id, lease_token_hash, lease_expires_at, capability_expires_at)
     select q.organization_id, ${made}, q.task_id, q.id, $2, 1, 'execute', 'succeeded', 1, '', 'm', 'w', '', now(), now()
     from (select *, row_number() over () as n from run_request where organization_id = $1) q`,
    [organizationId, profileId],
  );
  await app.db.query(
    `insert into task_dependency (organization_id, task_id, depends_on_task_id, status, condition)
     select t.organization_id, t.id, (select id from task where organization_id = $1 limit 1), 'satisfied', '{"kind":"completion"}'
     from task t where t.organization_id = $1`,
    [organizationId],
  );
  await app.db.query(
    `insert into chat (organization_id, id, created_at, title) select $1, ${made}, 'A chat' from generate_series(1, $2::int) n`,
    [organizationId, ENDED],
  );
  await app.db.query(
    `insert into message (organization_id, id, created_at, chat_id, role, status)
     select $1, ${made}, $2, (array['user', 'assistant'])[n % 2 + 1], 'complete' from generate_series(1, $3::int) n`,
    [organizationId, chatId, ENDED],
  );
  await app.db.query(
    `insert into schedule (organization_id, id, created_at, agent_profile_id, key, name, origin, trigger, task_template, creation_digest)
     select $1, ${made}, $2, n::text, 'A schedule', 'agent', '{}', '{}', '' from generate_series(1, $3::int) n`,
    [organizationId, profileId, ENDED],
  );
  await app.db.query(
    `insert into schedule_occurrence (organization_id, id, created_at, schedule_id, planned_at, origin, status)
     select $1, ${made}, (select id from schedule where organization_id = $1 limit 1), now() - n * interval '1 hour', 'timer', 'created'
     from generate_series(1, $2::int) n`,
    [organizationId, ENDED],
  );
  // Of everybody else.
  await app.db.query(
    `with copies as (
       insert into organization select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'slug', 'copy-' || n))).*
       from organization o, generate_series(1, $2::int) n where o.id = $1 returning id)
     insert into membership (organization_id, subject, role, added_by) select id, 'token:another', 'owner', 'token:another' from copies`,
    [organizationId, ENDED],
  );
  await app.db.query('vacuum analyze');
}

type Listed = Readonly<Record<string, unknown>>;
interface List {
  statements(): Statement[];
}

/** What finds next to nothing, or what nearly all have. */
const LISTS: readonly [string, string, (filters: Listed) => List, readonly Listed[]][] = [
  [
    'tasks',
    'task',
    (filters) => tasksOf(organizationId, { ...PAGE, ...filters }),
    [
      ...['pending', 'running', 'blocked', 'failed', 'completed'].map((status) => ({ status: [status] })),
      { status: ['running', 'failed', 'running', 'blocked'] },
      { status: ['failed', 'completed'], order: 'asc' },
      { status: ['running'], createdAfter: LONG_AGO },
      { createdBefore: LONG_AGO },
      { createdAfter: LONG_AGO },
      { phase: ['plan', 'verify'] },
      { phase: ['execute'] },
      { kind: ['learning'] },
      { priority: 5 },
      { priority: 0 },
      { sourceChatId: NONE },
      { rootTaskId: NONE },
      { parentId: NONE },
      { ownerAgentProfileId: 'mine' },
      { ownerAgentProfileId: 'other' },
      { ownerAgentProfileId: 'mine', status: ['failed', 'running'] },
    ],
  ],
  [
    'run requests',
    'run_request',
    (filters) => runRequestsOf(organizationId, { ...PAGE, ...filters }),
    [
      ...['queued', 'claimed', 'running', 'failed', 'completed'].map((status) => ({ status: [status] })),
      { status: ['queued', 'failed', 'superseded'] },
      { createdBefore: LONG_AGO },
      { taskId: NONE },
      { agentProfileId: 'mine' },
      { agentProfileId: 'other' },
      { agentProfileId: 'mine', status: ['failed', 'queued'] },
    ],
  ],
  [
    'runs',
    'run',
    (filters) => runsOf(organizationId, { ...PAGE, ...filters }),
    [
      ...['starting', 'running', 'failed', 'expired', 'succeeded'].map((status) => ({ status: [status] })),
      { status: ['running', 'failed', 'cancelled'] },
      { createdBefore: LONG_AGO },
      { taskId: NONE },
      { agentProfileId: 'mine' },
      { agentProfileId: 'other' },
      { agentProfileId: 'mine', status: ['failed', 'running'] },
    ],
  ],
  [
    'dependencies',
    'task_dependency',
    (filters) => dependenciesOf(organizationId, { ...PAGE, ...filters }),
    [{ status: ['failed'] }, { status: ['pending', 'waived'] }, { status: ['satisfied'] }, { taskId: NONE }],
  ],
  [
    'chats',
    'chat',
    (filters) => chatsOf(organizationId, { ...PAGE, ...filters }),
    [{ status: ['archived'] }, { status: ['open'] }, { createdBefore: LONG_AGO }],
  ],
  [
    'messages',
    'message',
    (filters) => messagesOf(organizationId, chatId, { ...PAGE, ...filters }),
    [
      ...['pending', 'streaming', 'failed', 'complete'].map((status) => ({ status: [status] })),
      { status: ['failed', 'cancelled', 'cancelling'] },
      { role: ['assistant'] },
      { role: ['user'], status: ['complete'] },
      { role: ['assistant'], status: ['complete'] },
      { createdBefore: LONG_AGO },
    ],
  ],
  [
    'schedules',
    'schedule',
    (filters) => schedulesOf(organizationId, { ...PAGE, ...filters }),
    [{ status: ['paused'] }, { status: ['enabled'] }, { createdBefore: LONG_AGO }, { agentProfileId: 'other' }],
  ],
];

const both = [
  ['the values known', false],
  ['a generic plan', true],
] as const;

/** Rows that a statement reads of a table, shown or not. */
async function rowsRead(table: string, query: Statement, generic: boolean): Promise<number> {
  const plan = await explainIn(app, organizationId, query, generic);
  return [...nodes(plan)]
    .filter((node) => node['Relation Name'] === table || node['Node Type'] === 'Bitmap Index Scan')
    .map((node) => (node['Actual Rows']! + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']!)
    .reduce((sum, rows) => sum + rows, 0);
}

describe.each(both)('a filtered page reads some pages of rows and not all history, with %s', (_what, generic) => {
  it.each(LISTS)('%s', async (_list, table, list, filters) => {
    const named = (each: unknown) => (each === 'mine' ? profileId : each === 'other' ? otherProfileId : each);
    for (const each of filters) {
      const asked = Object.fromEntries(Object.entries(each).map(([name, value]) => [name, named(value)]));
      const rows = await rowsRead(table, list(asked).statements()[0]!, generic);
      expect({ asked, rows: rows <= 10 * PAGE.limit ? 'few' : rows }).toEqual({ asked, rows: 'few' });
    }
  });

  it('organizations of somebody who belongs to one of many', async () => {
    const subject = `token:${randomUUID()}`;
    await app.db.query(
      `insert into membership (organization_id, subject, role, added_by) values ($1, $2, 'owner', $2)`,
      [organizationId, subject],
    );
    const [query] = organizationsOf(entrant(subject), PAGE).statements();
    const plan = await explain(app, query!, generic, asSubject(subject));
    const read = [...nodes(plan)].filter((node) => node['Relation Name'] !== undefined);
    const rows = read.map(
      (node) => (node['Actual Rows']! + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']!,
    );
    expect(Math.max(...rows)).toBeLessThanOrEqual(10);
  });

  it('occurrences of a schedule', async () => {
    const { rows } = await app.db.query<{ id: string }>(
      'select distinct schedule_id as id from schedule_occurrence where organization_id = $1',
      [organizationId],
    );
    const [query] = occurrencesOf(organizationId, rows[0]!.id, { ...PAGE, status: ['skipped'] }).statements();
    expect(await rowsRead('schedule_occurrence', query!, generic)).toBe(0);
  });
});
