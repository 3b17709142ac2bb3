import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { ormOptions } from '../../src/mikro-orm.config.ts';
import { AgentProfile } from '../../src/modules/agent-profiles/index.ts';
import { Organization, organizationOwned } from '../../src/modules/organizations/index.ts';
import { type Client, organizationOf } from '../support/client.ts';
import { createWebhook } from '../support/factories/webhooks.ts';
import { readSchema, type Table } from '../support/database/schema-linter.ts';
import { actionRow } from '../support/factories/actions.ts';
import { knownIcon } from '../support/factories/icons.ts';
import { insightRows } from '../support/factories/insights/rows.ts';
import { openNotice } from '../support/factories/inbox.ts';
import { grantRows, integrationRow } from '../support/factories/integrations/rows.ts';
import { knowledgeRow } from '../support/factories/knowledge.ts';
import { lessonRow } from '../support/factories/learning.ts';
import { profileOf } from '../support/factories/profiles.ts';
import { createTask } from '../support/factories/tasks.ts';
import { TestApp } from '../support/test-app.ts';
import { freshDatabase } from '../support/database/test-database.ts';

/** Tables that the application role may read whole, each for a reason. */
const READABLE: Readonly<Record<string, string>> = {
  activity_cluster: 'which database cluster numbers transactions; it tells of no organization',
  catalog_revision: 'the shipped catalog, the same for everybody',
  fx_rate: 'exchange rates, the same for everybody',
  organization_slug: 'whoever names an organization must see which slugs are taken',
  lease_watch: 'when some process last took heartbeats, which every fence compares with; it tells of no organization',
  mikro_orm_migrations: 'readiness compares it with the build',
};
const DENIED = '42501';
const FOREIGN_KEY = '23503';

const app = await TestApp.start();
const tables = await readSchema(app.db);
const names = tables.map(({ name }) => name);
const owned = tables.filter((table) => columnOf(table) !== undefined).map((table) => [table.name, table] as const);

/** Two organizations with a row in every table that belongs to one. */
let mine: { subject: string; organizationId: string };
let theirs: typeof mine;

beforeAll(async () => {
  [mine, theirs] = [await inhabited(), await inhabited()];
  await app.db.query(
    `insert into fx_rate (day, currency, revision, rate, fetched_at) values ('2026-11-02', 'USD', 1, 1.1, now())
     on conflict do nothing`,
  );
});
afterAll(() => app.close());

describe('the application role without a context', () => {
  const count = (name: string) => as('br_app', {}, `select count(*)::int as seen from "${name}"`);

  it.each(names.filter((name) => !(name in READABLE)))('sees nothing of %s', async (name) => {
    expect([[{ seen: 0 }], DENIED]).toContainEqual(await count(name));
  });

  it.each(Object.keys(READABLE))('reads %s', async (name) => {
    expect(await count(name)).not.toEqual([{ seen: 0 }]);
  });

  it('changes nothing', async () => {
    expect(
      await as(
        'br_app',
        {},
        `with hit as (update organization set name = 'x' returning 1) select count(*)::int as hits from hit`,
      ),
    ).toEqual([{ hits: 0 }]);
  });
});

describe('the application role inside an organization', () => {
  it.each(owned.filter(([name]) => !(name in READABLE)))('sees of %s its own rows only', async (name, table) => {
    const of = (id: string) => `select count(*)::int as seen from "${name}" where "${columnOf(table)}" = '${id}'`;
    expect((await app.db.query(of(theirs.organizationId))).rows).not.toEqual([{ seen: 0 }]);
    expect(await as('br_app', context(mine), of(theirs.organizationId))).toEqual([{ seen: 0 }]);
    expect(await as('br_app', context(mine), of(mine.organizationId))).not.toEqual([{ seen: 0 }]);
  });

  it.each(owned)('writes no row of another one into %s', async (name, table) => {
    const { rows } = await app.db.query<{ row: object }>(
      `select to_jsonb(t) as row from "${name}" t where "${columnOf(table)}" = $1 limit 1`,
      [theirs.organizationId],
    );
    const insert = `insert into "${name}" select (jsonb_populate_record(null::"${name}", $1)).*`;
    expect(await as('br_app', context(mine), insert, [rows[0]!.row])).toBe(DENIED);
  });

  it('moves none of its rows into another one', async () => {
    const move = `update agent_profile set organization_id = '${theirs.organizationId}'`;
    expect(await as('br_app', context(mine), move)).toBe(DENIED);
  });

  it('cannot reach what it has no right to', async () => {
    for (const statement of [
      'delete from activity',
      `update activity set verb = 'x'`,
      'delete from organization',
      'delete from agent_profile',
      `update organization_slug set slug = 'x'`,
      `update membership set subject = 'bootstrap'`,
      `update owner_token set scopes = '{decide}'`,
      `update owner_token set subject = 'bootstrap'`,
      `insert into catalog_revision select * from catalog_revision`,
      'select from activity_default',
      'create table loot ()',
      'set local row_security = off; select from organization',
    ])
      expect([statement, await as('br_app', context(mine), statement)]).toEqual([statement, DENIED]);
  });
});

describe('the dispatch role', () => {
  it.each(['membership', 'owner_token', 'organization_slug'])('cannot read %s', async (name) => {
    expect(await as('br_dispatch', {}, `select from "${name}"`)).toBe(DENIED);
  });

  it.each([
    ['organization', 'what work is handed out by', ['authorization_epoch', 'id', 'status', 'work_dispatch_stopped_at']],
    ['activity', 'whether there are new entries', ['organization_id', 'written_in']],
  ])('reads of %s %s, and no more', async (table, _what, readable) => {
    const read = (column: string) => as('br_dispatch', {}, `select "${column}" from "${table}"`);
    const { columns } = tables.find(({ name }) => name === table)!;
    const answers = await Promise.all(columns.map(async ({ name }) => [name, await read(name)] as const));
    const open = answers.filter(([, answer]) => answer !== DENIED).map(([name]) => name);
    expect(open.sort()).toEqual(readable);
  });

  it('changes only the columns that it was granted', async () => {
    const update = (column: string) => as('br_dispatch', {}, `update agent_profile set "${column}" = "${column}"`);
    const { columns } = tables.find(({ name }) => name === 'agent_profile')!;
    const answers = await Promise.all(columns.map(async ({ name }) => [name, await update(name)] as const));
    const open = answers.filter(([, answer]) => answer !== DENIED).map(([name]) => name);
    expect(open.sort()).toEqual(['catalog_revision', 'config', 'instructions_uri', 'updated_at']);
  });
});

describe('a reference into another organization', () => {
  /** What every later table looks like: in an organization, with a link to another row of it. */
  const schema = defineEntity({
    name: 'Note',
    tableName: 'note',
    properties: {
      ...organizationOwned,
      profileId: p.uuid().persist(false),
      profile: () =>
        p
          .manyToOne(AgentProfile)
          .joinColumns('organization_id', 'profile_id')
          .referencedColumnNames('organization_id', 'id')
          .updateRule('no action')
          .deleteRule('no action'),
    },
  });
  class Note extends schema.class {}
  schema.setClass(Note);

  it('is refused by the keys alone, and does not move the row', async () => {
    const url = await freshDatabase('migrated');
    const dbName = new URL(url).pathname.slice(1);
    const orm = await MikroORM.init({
      ...ormOptions,
      entities: [...ormOptions.entities!, Note],
      clientUrl: url,
      dbName,
    });
    const db = new pg.Pool({ connectionString: url });
    try {
      await orm.schema.update({ safe: true });
      const [a, b, profile] = [randomUUID(), randomUUID(), randomUUID()];
      for (const id of [a, b])
        await db.query(
          `insert into organization (id, slug, name, status, website, default_currency, timezone, enabled_departments, allowed_integrations, blocked_domains, approval_required_for_risk)
           values ($1, 's', 'n', 'active', 'w', 'EUR', 'UTC', '{}', '{}', '{}', '{}')`,
          [id],
        );
      await db.query(
        `insert into agent_profile (organization_id, id, key, name, kind, status, root_uri, instructions_uri, memory_root_uri, config, catalog_template_key, catalog_revision, catalog_update_policy)
         values ($1, $2, 'k', 'n', 'chat', 'enabled', 'r', 'i', 'm', '{}', 't', 'r', 'auto')`,
        [a, profile],
      );
      const write = async (organizationId: string) => {
        const em = orm.em.fork();
        em.create(Note, {
          organization: em.getReference(Organization, organizationId),
          id: randomUUID(),
          profile: em.getReference(AgentProfile, [a, profile]),
        });
        await em.flush();
      };
      await expect(write(b)).rejects.toMatchObject({ code: FOREIGN_KEY });
      expect((await db.query('select from note')).rowCount).toBe(0);
      await write(a);
      expect((await db.query('select organization_id as id from note')).rows).toEqual([{ id: a }]);
    } finally {
      await orm.close();
      await db.end();
    }
  });
});

function columnOf({ name, columns }: Table): string | undefined {
  return name === 'organization' ? 'id' : columns.find((column) => column.name === 'organization_id')?.name;
}

async function inhabited() {
  const owner = await app.person();
  const organizationId = await organizationOf(owner);
  const prerequisite = await createTask(owner, organizationId);
  const { id: taskId } = await createTask(owner, organizationId, { dependsOn: [{ taskRef: prerequisite.id }] });
  await fillRuns(organizationId, taskId);
  await fillOutbox(organizationId);
  await fillWebhook(owner, organizationId);
  await fillChat(organizationId);
  await fillOnboarding(organizationId);
  await openNotice(app, organizationId);
  await knowledgeRow(app, organizationId);
  await fillLearning(organizationId);
  await knownIcon(app, organizationId);
  await insightRows(app, organizationId);
  await fillOauth(organizationId);
  await grantRows(app, organizationId, await integrationRow(app, organizationId), { growth: 'full' });
  const actionId = await actionRow(app, organizationId);
  await app.db.query(
    'insert into action_receipt (organization_id, action_id, run_id, task_version) values ($1, $2, $3, 1)',
    [organizationId, actionId, randomUUID()],
  );
  await fillPush(organizationId, actionId);
  return { subject: owner.subject, organizationId };
}

function context({ subject, organizationId }: typeof mine) {
  return { 'app.subject': subject, 'app.org': organizationId };
}

/** Rows, or the SQLSTATE, of a statement under a role; undone afterwards. */
async function as(role: string, settings: Record<string, string>, text: string, values?: unknown[]): Promise<unknown> {
  const client = await app.db.connect();
  try {
    await client.query('begin');
    for (const [name, value] of Object.entries({ role, ...settings }))
      await client.query('select set_config($1, $2, true)', [name, value]);
    return (await client.query(text, values)).rows;
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** An authorization on its way, and a client that the service registered. */
async function fillOauth(organizationId: string): Promise<void> {
  const at = new Date().toISOString();
  const sealed = { key_id: 'x', wrapped_key: '', sealed: '' };
  const place = { issuer: 'https://login.acme.test', redirect_uri: 'x' };
  const client = { ...place, ...sealed, client_id: 'x', auth_method: 'none', unanswered: 0, created_at: at };
  await insertRow('oauth_client', organizationId, { organization_id: '', id: randomUUID(), ...client });
  const person = { subject: 'x', subject_name: 'x', integration_id: randomUUID(), credential_generation: 0 };
  const state = { callback: 'mcp', protocol: 'oauth2', status: 'issued', scopes: [], server: {} };
  const times = { expires_at: at, created_at: at };
  await insertRow('oauth_state', organizationId, {
    organization_id: '',
    state_hash: randomUUID(),
    ...place,
    ...sealed,
    ...person,
    ...state,
    ...times,
  });
}

/** A row in each table of runs and schedules, which only workers and agents fill otherwise. */
async function fillRuns(organizationId: string, taskId: string): Promise<void> {
  const [requestId, runId] = [randomUUID(), randomUUID()];
  const insert = (table: string, row: Record<string, unknown>) => insertRow(table, organizationId, row);
  const work = { organization_id: '', task_id: taskId, agent_profile_id: randomUUID(), mode: 'execute' };
  const at = new Date().toISOString();
  const queued = { status: 'completed', execution_class: 'standard', priority: 0, dedupe_key: 'x', task_version: 1 };
  const waiting = { task_graph_revision: 1, ready: true, available_at: at, max_attempts: 3 };
  await insert('run_request', { ...work, id: requestId, ...queued, ...waiting });
  const started = { attempt: 1, task_version: 1, catalog_revision: 'x', model: 'x', worker_id: 'x' };
  const lease = { lease_token_hash: '', lease_expires_at: at, capability_expires_at: at };
  await insert('run', { ...work, id: runId, run_request_id: requestId, status: 'expired', ...started, ...lease });
  const scheduleId = randomUUID();
  const template = { trigger: {}, task_template: {}, creation_digest: 'x' };
  const schedule = {
    id: scheduleId,
    agent_profile_id: randomUUID(),
    key: 'x',
    name: 'x',
    origin: 'agent',
    ...template,
  };
  await insert('schedule', { organization_id: '', ...schedule });
  const occurrence = { id: randomUUID(), schedule_id: scheduleId, planned_at: at, origin: 'timer', status: 'created' };
  await insert('schedule_occurrence', { organization_id: '', ...occurrence });
  const owned = { organization_id: '', run_id: runId };
  await insert('run_outcome', { ...owned, id: randomUUID(), kind: 'planned', outcome: {}, digest: 'x' });
  await insert('run_artifact', { ...owned, sha256: 'x', size_bytes: 1 });
  const entry = { category: 'tool', status: 'info', label: 'x', occurred_at: at };
  await insert('run_log', { ...owned, sequence: 1, run_month: at, ...entry });
  await insert('integration_call', {
    organization_id: '',
    at,
    id: randomUUID(),
    integration_id: randomUUID(),
    tool_name: 'x',
    agent_profile_id: randomUUID(),
    arguments_digest: 'x',
    arguments_bytes: 2,
    outcome: 'succeeded',
    latency_ms: 1,
  });
  await insert('durability_row', {
    organization_id: '',
    namespace: 'task',
    key: taskId,
    kind: 'x',
    version: 1,
    payload: {},
  });
}

/** Somebody who listens, and an event that is still to be handled. */
async function fillOutbox(organizationId: string): Promise<void> {
  await insertRow('activity_subscription', organizationId, { organization_id: '', kind: 'x', verbs: ['task.failed'] });
  const event = { id: randomUUID(), kind: 'x', payload: {}, recorded_at: new Date().toISOString() };
  await insertRow('outbox_event', organizationId, { organization_id: '', ...event });
}

/** A lesson, another one that was taken back, and an answer that is still to be learned from. */
async function fillLearning(organizationId: string): Promise<void> {
  await lessonRow(app, organizationId);
  const of = { organization_id: '', agent_profile_id: await profileOf(app, organizationId) };
  const at = new Date().toISOString();
  const revocation = { digest: 'x', reason: 'x', revoked_by: {}, revoked_at: at };
  await insertRow('revoked_lesson', organizationId, { ...of, key: 'x', lesson: 'x', ...revocation });
  await insertRow('learning_refresh', organizationId, { ...of, requested_at: at });
}

/** A webhook with its secret, and a delivery. */
async function fillWebhook(owner: Client, organizationId: string): Promise<void> {
  const { at } = await createWebhook(owner, organizationId, 'https://hooks.acme.example/');
  await owner.post(`${at}/test`);
}

/** What is said in the organization's first chat, as it streams. */
async function fillChat(organizationId: string): Promise<void> {
  const { rows } = await app.db.query('select id from chat where organization_id = $1', [organizationId]);
  const inChat = { organization_id: '', chat_id: rows[0].id };
  const messageId = randomUUID();
  await insertRow('message', organizationId, { ...inChat, id: messageId, role: 'assistant', status: 'streaming' });
  const place = { draft: 1, part_id: 'x', part_offset: 0, revision: 2, text: 'x' };
  await insertRow('message_chunk', organizationId, { organization_id: '', message_id: messageId, ...place });
  const file = { file_name: 'x', media_type: 'text/plain', size_bytes: 1, sha256: 'x', object_key: 'x' };
  await insertRow('attachment', organizationId, { ...inChat, id: randomUUID(), ...file });
  const upload = { id: randomUUID(), abandoned: false, begun_at: new Date().toISOString() };
  await insertRow('attachment_upload', organizationId, { ...inChat, ...upload });
}

/** An onboarding with a source, and an upload at work. */
async function fillOnboarding(organizationId: string): Promise<void> {
  const at = new Date().toISOString();
  const record = { state: 'completed', generation: 1, lapses: 0, turn_at: at, created_at: at, updated_at: at };
  await insertRow('onboarding', organizationId, { organization_id: '', ...record });
  const file = { kind: 'file', file_name: 'x', media_type: 'text/plain', size_bytes: 1, sha256: 'x', created_at: at };
  const ids = { id: randomUUID(), upload_id: randomUUID(), knowledge_id: randomUUID(), deaths: 0 };
  await insertRow('onboarding_source', organizationId, { organization_id: '', ...ids, ...file });
  const upload = { id: randomUUID(), abandoned: false, begun_at: at };
  await insertRow('onboarding_upload', organizationId, { organization_id: '', ...upload });
}

/** A push whose bytes are kept, and one on its way. */
async function fillPush(organizationId: string, actionId: string): Promise<void> {
  const refs = { repository: 'acme/site', ref: 'refs/heads/main', old_oid: 'x', new_oid: 'y', shallow: [] };
  const pack = { action_id: actionId, integration_id: randomUUID(), pack_sha256: 'x', pack_bytes: 1 };
  await insertRow('git_push', organizationId, { organization_id: '', ...pack, ...refs });
  const upload = { id: randomUUID(), abandoned: false, begun_at: new Date().toISOString() };
  await insertRow('git_push_upload', organizationId, { organization_id: '', ...upload });
}

async function insertRow(table: string, organizationId: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row).join();
  await app.db.query(
    `insert into "${table}" (${columns}) select ${columns} from jsonb_populate_record(null::"${table}", $1) r`,
    [JSON.stringify({ ...row, organization_id: organizationId })],
  );
}
