import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { ownerAccess } from '../../../src/kernel/tenancy/index.ts';
import type { Statement } from '../../../src/kernel/database/index.ts';
import { chatsOf } from '../../../src/modules/chats/chats.queries.ts';
import { messagesOf } from '../../../src/modules/chats/messages/messages.queries.ts';
import { durabilityRows } from '../../../src/modules/durability/durability.queries.ts';
import { activityOf } from '../../../src/modules/organizations/activity/activity.queries.ts';
import { tasksOf } from '../../../src/modules/tasks/tasks.queries.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { entrant, organizationOf } from '../../support/client.ts';
import { nodes, type Plan } from '../../support/database/query-plans.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { queueTasks } from '../../support/factories/work.ts';

const FEW = 2;
const MANY = 60;
const PAGE = { limit: 5, order: 'desc' } as const;

/** A connection keeps the plan that it made while there was next to nothing, whatever comes later. */
let app: TestApp;
let subject: string;
let organizationId: string;
let chatId: string;
let connection: pg.PoolClient;

beforeAll(async () => {
  app = await TestApp.start({ databaseUrl: await freshDatabase('migrated') });
  const owner = await app.person();
  subject = owner.subject;
  organizationId = await organizationOf(owner);
  chatId = await firstChat(app, organizationId);
  connection = await app.db.connect();
}, 60_000);
afterAll(async () => {
  connection.release();
  await app.close();
});

it('lists walk their index no further than they go, when their plan was made while there was little', async () => {
  const lists: [string, Statement][] = [
    ['chat', chatsOf(organizationId, PAGE).statements()[0]!],
    ['message', messagesOf(organizationId, chatId, PAGE).statements()[0]!],
    ['task', tasksOf(organizationId, PAGE).statements()[0]!],
    ['durability_row', durabilityRows(organizationId, PAGE).statements()[0]!],
    ['activity', activityOf(organizationId, PAGE).statements()[0]!],
  ];
  await fill(FEW);
  await app.db.query('vacuum analyze');
  await entered(async () => {
    for (const [name, { text, values }] of lists) await connection.query({ name, text, values: [...values] });
  });
  await fill(MANY);
  await entered(async () => {
    for (const [name, { values }] of lists) {
      const all = [...nodes(await explainPrepared(name, values))];
      expect([name, all.map((node) => node['Node Type'])]).toEqual([name, expect.not.arrayContaining(['Seq Scan'])]);
      const walked = all.filter((node) => node['Relation Name']?.startsWith(name)).map((node) => node['Actual Rows']!);
      expect([name, Math.max(...walked)]).toEqual([name, PAGE.limit + 1]);
    }
  });
});

async function fill(count: number): Promise<void> {
  await queueTasks(app, organizationId, count);
  for (const insertion of [
    `insert into chat (organization_id, id, title) select $1, gen_random_uuid(), 'A chat' from rows`,
    `insert into message (organization_id, id, chat_id, role, status) select $1, gen_random_uuid(), '${chatId}', 'user', 'complete' from rows`,
    `insert into durability_row (organization_id, namespace, key, kind, version, payload)
     select $1, 'task', gen_random_uuid()::text, 'note', 1, '{}' from rows`,
    `insert into activity (organization_id, id, at, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label, details)
     select $1, gen_random_uuid(), now(), 'owner', 'a', 'a', 'v', 'organization', 'o', 'o', '{}' from rows`,
  ])
    await app.db.query(`with rows as (select from generate_series(1, $2::int)) ${insertion}`, [organizationId, count]);
}

/** As an owner's reads are. */
async function entered(work: () => Promise<void>): Promise<void> {
  await connection.query('begin');
  for (const { text, values } of ownerAccess(entrant(subject), organizationId, { counted: false }).statements)
    await connection.query(text, [...values]);
  await work();
  await connection.query('commit');
}

async function explainPrepared(name: string, values: readonly unknown[]): Promise<Plan> {
  const literals = values.map((value) => pg.escapeLiteral(String(value))).join(', ');
  const { rows } = await connection.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, format json) execute ${pg.escapeIdentifier(name)} (${literals})`,
  );
  return rows[0]!['QUERY PLAN'][0].Plan;
}
