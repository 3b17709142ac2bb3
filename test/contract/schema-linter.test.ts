import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { lintSchema, readSchema, type Table } from '../support/database/schema-linter.ts';
import { freshDatabase } from '../support/database/test-database.ts';

/** Tables that belong to no organization. Whoever adds one says why it cannot. */
const GLOBAL: Readonly<Record<string, string>> = {
  activity_cluster: 'Says which database cluster numbers the transactions of all logs.',
  organization_slug: 'A slug is unique across organizations.',
  membership: 'The directory: read by subject, before an organization is entered.',
  owner_token: 'Belongs to a person; its hash is unique across organizations.',
  idempotency_key: 'Belongs to a person; exists before the organization that it makes, and outlives it.',
  catalog_revision: 'The shipped catalog, the same for all organizations.',
  organization_dispatch: 'A hint about whose work is due, read across organizations in the order of fairness.',
  oauth_state: 'A callback names a state and no organization.',
  encryption_key_check: 'The keys are the deployment’s; it tells that a key is the one that was used before.',
  fx_rate: 'Exchange rates are the same for everybody.',
  lease_watch: 'Outages are the whole service’s: one row a kind of lease decides for the leases of all organizations.',
  worker: 'A worker serves many organizations; the row tells of none but those that it asked for.',
  mikro_orm_migrations: 'The migrator’s own.',
};

/** Tables of an organization that reference nothing. Whoever adds one says what keeps rows from outliving it. */
const UNREFERENCED: Readonly<Record<string, string>> = {
  outbox_event: 'Written by hot calls behind an entry of the activity log, which has the reference.',
  profile_dispatch: 'A hint: one that outlives its organization leaves the line, since nothing of it may start.',
  run_log: 'Whoever appends holds the run’s row, behind which the purge empties this table.',
};

/** All that the roles may do, per table; columns in brackets where a right is on columns only. */
const RIGHTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  br_app: {
    action:
      'insert, select, update (approval_required, approved_at, awaits_since, decision, error, executor_token, finished_at, inbox_item_id, lapses, lease_expires_at, policy, reconciliation, result, revision, sent_at, settle_at, settle_attempts, status, updated_at)',
    action_receipt: 'insert, select, update (created_at, task_version)',
    activity: 'insert, select, update (details)',
    activity_cluster: 'select',
    activity_subscription: 'delete, insert, select, update',
    agent_profile: 'insert, select, update',
    attachment: 'delete, insert, select',
    attachment_upload: 'delete, insert, select, update (abandoned)',
    catalog_revision: 'select',
    chat: 'delete, insert, select, update',
    discovery: 'insert, select, update (integration_setup_completed_at)',
    discovery_intention: 'insert, select, update (attempts, next_attempt_at, settled, status, task_id)',
    durability_row: 'delete, insert, select, update',
    fx_rate: 'select',
    git_push: 'delete, insert, select',
    git_push_upload: 'delete, insert, select, update (abandoned)',
    idempotency_key: 'insert, select, update',
    inbox_item: 'insert, select, update',
    insight_state: 'insert, select, update',
    integration: 'delete, insert, select, update',
    integration_call: 'insert, select',
    integration_credential: 'delete, insert, select, update',
    integration_grant: 'delete, insert, select, update',
    integration_inventory: 'delete, insert, select, update',
    integration_preferences: 'insert, select, update',
    knowledge: 'insert, select, update (revocation_reason, revoked_at, revoked_by, superseded_at, superseded_by)',
    knowledge_passage: 'delete, insert, select, update (live)',
    learning_refresh: 'delete, insert, select, update',
    lease_watch: 'select',
    lesson: 'delete, insert, select, update',
    membership: 'delete, insert, select, update (role)',
    message: 'delete, insert, select, update',
    message_chunk: 'delete, insert, select',
    metric_block: 'delete, insert, select, update (to_revision)',
    metric_collection: 'delete, insert, select, update',
    metric_coverage: 'delete, insert, select, update (to_revision)',
    metric_definition: 'insert, select, update',
    metric_publication: 'delete, insert, select',
    metric_read: 'delete, insert, select, update',
    metric_receipt: 'delete, insert, select',
    metric_restatement: 'delete, insert, select',
    metric_series: 'insert, select',
    metric_source: 'insert, select, update',
    metric_staged: 'delete, insert, select, update',
    mikro_orm_migrations: 'select',
    oauth_client: 'delete, insert, select, update (rejected_at, unanswered)',
    oauth_state: 'insert, select, update (confirm_hash, expires_at, key_id, sealed, status, wrapped_key)',
    onboarding: 'insert, select, update',
    onboarding_source: 'delete, insert, select, update (deaths, extractor_version, result)',
    onboarding_upload: 'delete, insert, select, update (abandoned)',
    organization: 'insert, select, update',
    organization_capacity: 'insert, select, update',
    organization_dispatch: 'insert, select, update',
    organization_icon: 'insert, select, update',
    organization_load: 'insert, select, update',
    organization_slug: 'delete, insert, select',
    outbox_event: 'delete, insert, select, update (recorded_at)',
    owner_token: 'delete, insert, select',
    profile_capacity: 'insert, select, update',
    profile_dispatch: 'insert, select, update',
    profile_load: 'insert, select, update',
    profile_memory: 'insert, select, update',
    revoked_lesson: 'insert, select',
    run: 'insert, select, update',
    run_artifact: 'insert, select',
    run_log: 'insert, select',
    run_outcome: 'delete, insert, select, update',
    run_request: 'insert, select, update',
    schedule: 'insert, select, update',
    schedule_occurrence: 'insert, select',
    task: 'insert, select, update',
    task_dependency: 'delete, insert, select, update',
    task_identifier: 'insert, select, update',
    webhook: 'insert, select, update',
    webhook_delivery: 'insert, select, update',
    webhook_secret: 'delete, insert, select, update (expires_at)',
  },
  br_dispatch: {
    action:
      'select (approved_at, awaits_since, chat_id, expires_at, finished_at, id, lease_expires_at, organization_id, sent_at, settle_at, status, task_id, updated_at)',
    activity: 'insert, select (organization_id, written_in)',
    activity_cluster: 'select',
    activity_subscription: 'select',
    agent_profile: 'select, update (catalog_revision, config, instructions_uri, updated_at)',
    attachment_upload: 'select (begun_at, chat_id, id, organization_id)',
    catalog_revision: 'insert, select',
    chat: 'select (deleted_at, id, organization_id)',
    discovery_intention: 'select (key, next_attempt_at, organization_id, status, task_id)',
    durability_row: 'delete, select',
    fx_rate: 'insert, select',
    git_push: 'select (action_id, organization_id)',
    git_push_upload: 'select (begun_at, id, organization_id)',
    idempotency_key: 'delete, select',
    inbox_item: 'select (expires_at, id, kind, organization_id, purpose, status, task_id)',
    insight_state: 'select (catalog_hash, organization_id)',
    integration:
      'select (enabled, id, inventory_due_at, inventory_failures, kind, organization_id, origin), update (inventory_due_at)',
    integration_credential:
      'select (generation, integration_id, key_id, kind, next_refresh_at, organization_id, purpose, refreshed_at, state, token_version, wrapped_key), update (key_id, wrapped_key)',
    integration_preferences: 'select (catalog_version, organization_id)',
    learning_refresh: 'select',
    lease_watch: 'insert, select, update',
    message:
      'select (agent_profile_id, attempt, boot_id, cancel_requested_at, capability_expires_at, chat_id, chunks_expire_at, claim_request_key, created_at, draft, first_claimed_at, former_token_hash, generation, heartbeat_at, id, lease_expires_at, lease_token_hash, leased, organization_id, reply_to_message_id, resting, rests_until, revision, role, status, text_bytes, worker_id), update (attempt, authorization_epoch, boot_id, capability_expires_at, catalog_revision, chunks_expire_at, claim_request_key, final_answer, final_digest, first_claimed_at, former_token_hash, generation, heartbeat_at, lease_expires_at, lease_token_hash, leased, resting, rests_until, revision, status, text_bytes, updated_at, worker_id)',
    message_chunk: 'delete, insert, select',
    metric_block: 'select (organization_id, to_revision)',
    metric_collection: 'select (ended_at, organization_id)',
    metric_coverage: 'select (organization_id, to_revision)',
    metric_publication: 'select (at, organization_id)',
    metric_receipt: 'select (created_at, organization_id)',
    metric_restatement: 'select (at, organization_id)',
    metric_source:
      'select (backoff_until, due_at, id, integration_id, lease_expires_at, organization_id, paused_reason)',
    oauth_client: 'select (id, key_id, organization_id, wrapped_key), update (key_id, wrapped_key)',
    oauth_state: 'delete, select (expires_at, key_id, state_hash, wrapped_key), update (key_id, sealed, wrapped_key)',
    onboarding: 'select (lease_expires_at, organization_id, state, turn_at)',
    onboarding_upload: 'select (begun_at, id, organization_id)',
    organization: 'select (authorization_epoch, id, status, work_dispatch_stopped_at)',
    organization_capacity: 'select, update (max_live_runs)',
    organization_dispatch: 'insert, select, update',
    organization_load: 'select, update (max_live_runs)',
    outbox_event: 'delete, insert, select (id, kind, organization_id, recorded_at), update (recorded_at)',
    profile_capacity: 'select, update (max_live_runs)',
    profile_dispatch: 'insert, select, update',
    profile_load: 'select, update (max_live_runs)',
    run: 'insert (agent_profile_id, attempt, boot_id, capability_expires_at, catalog_revision, created_at, heartbeat_at, id, lease_expires_at, lease_token_hash, mode, model, organization_id, run_request_id, started_at, status, task_id, task_version, updated_at, worker_id), select (agent_profile_id, attempt, boot_id, cancel_requested_at, capability_expires_at, created_at, final_answer, final_digest, finished_at, harness, heartbeat_at, id, lease_expires_at, lease_token_hash, log_last, log_state, log_through, mode, model, organization_id, receipts, run_request_id, started_at, status, task_id, updated_at, usage, worker_id, workspace_uri), update (capability_expires_at, final_answer, final_digest, finished_at, harness, heartbeat_at, lease_expires_at, log_last, log_state, log_through, model, output, receipts, status, updated_at, usage, workspace_uri)',
    run_artifact: 'select (organization_id, run_id, sha256, size_bytes)',
    run_log: 'insert, select',
    run_outcome: 'select (organization_id, run_id)',
    run_request:
      'select, update (attempt_count, available_at, boot_id, claim_expires_at, claim_request_key, claim_token_hash, claimed_at, former_token_hash, lapse_count, last_run_id, ready, release_count, status, updated_at, worker_id)',
    schedule: 'select (agent_profile_id, id, last_error, next_run_at, organization_id, status, task_template, trigger)',
    task: 'select, update (agent_run_count, blockers, completed_at, consumed_agent_run_count, result, started_at, status, unverified_result, updated_at, version)',
    task_dependency: 'select',
    webhook: 'delete, select (deleted_at, id, organization_id), update (updated_at)',
    webhook_delivery:
      'delete, select (created_at, id, lease_expires_at, next_attempt_at, organization_id, status, webhook_id), update (lease_expires_at)',
    webhook_secret:
      'select (generation, key_id, organization_id, webhook_id, wrapped_key), update (key_id, wrapped_key)',
    worker: 'delete, insert, select, update',
  },
  br_owner: {},
  public: {},
};

let db: pg.Pool;
let tables: Table[];

beforeAll(async () => {
  db = new pg.Pool({ connectionString: await freshDatabase('migrated') });
  tables = await readSchema(db);
});
afterAll(() => db.end());

describe('the live schema', () => {
  it('can be distributed by organization, behind row-level security', () => {
    const { findings, summary } = lintSchema(tables, { globals: GLOBAL, unreferenced: UNREFERENCED });
    expect(findings).toEqual([]);
    const owned = tables.length - Object.keys(GLOBAL).length;
    expect(owned).toBeGreaterThanOrEqual(3);
    expect(summary).toBe(`${owned} of ${owned} tables distributable by organization`);
    process.stderr.write(`${summary}\n`);
  });

  it('has no enum types, triggers or tables outside of "public"', async () => {
    const { rows } = await db.query(
      `select 'type ' || typname as found from pg_type where typtype = 'e'
       union all select 'trigger ' || tgname from pg_trigger where not tgisinternal
       union all select 'table ' || relnamespace::regnamespace || '.' || relname from pg_class
         where relkind in ('r', 'p') and relnamespace::regnamespace::text !~ '^(public$|pg_|information_schema$)'`,
    );
    expect(rows).toEqual([]);
  });
});

describe('the roles', () => {
  it.each(Object.keys(RIGHTS))('%s may do what is meant for it, and nothing on partitions', async (role) => {
    expect(await rightsOf(role)).toEqual(RIGHTS[role]);
  });

  it('cannot log in, make anything, or pass row-level security', async () => {
    const { rows } = await db.query(
      `select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolcanlogin as mighty,
              (select array_agg(roleid::regrole::text) from pg_auth_members where member = r.oid) as "memberOf"
       from pg_roles r where rolname in ('br_app', 'br_dispatch', 'br_owner') order by 1`,
    );
    expect(rows).toEqual(
      ['br_app', 'br_dispatch', 'br_owner'].map((rolname) => ({ rolname, mighty: false, memberOf: null })),
    );
  });

  it('own nothing and make nothing in the schema', async () => {
    const { rows } = await db.query(
      `select r.rolname, has_schema_privilege(r.oid, 'public', 'create') as creates,
              exists (select from pg_class where relowner = r.oid) as owns
       from pg_roles r where rolname in ('br_app', 'br_dispatch') order by 1`,
    );
    expect(rows).toEqual(['br_app', 'br_dispatch'].map((rolname) => ({ rolname, creates: false, owns: false })));
  });

  it('run only functions that pin their search path', async () => {
    const { rows } = await db.query<{ name: string; settings: string[] | null; open: boolean }>(
      `select p.proname as name, p.proconfig as settings, has_function_privilege('public', p.oid, 'execute') as open
       from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { name, settings, open } of rows)
      expect({ name, settings, open }).toEqual({
        name,
        settings: expect.arrayContaining(['search_path=public, pg_temp']),
        open: false,
      });
  });
});

describe('a table that was made carelessly', () => {
  it('is found', async () => {
    await db.query(`
      create table bad (
        id uuid primary key, organization_id uuid references organization on delete set null, status varchar(20),
        made_at timestamptz, day date, profile_id uuid, parent_id uuid references bad);
      create table worse (
        organization_id uuid, id uuid, other_organization_id uuid, profile_id uuid, status text, primary key (organization_id, id),
        constraint swapped foreign key (other_organization_id, profile_id) references agent_profile (organization_id, id));
      alter table worse enable row level security;
      create policy everybody on worse using (true);
      create table loose (organization_id uuid, id uuid, primary key (organization_id, id));
      alter table loose enable row level security;
      alter table loose force row level security;
      create policy owner_all on loose to br_owner using (true);
      create table good (
        organization_id uuid references organization, id uuid, status text check (status in ('new')), at timestamptz(6),
        primary key (organization_id, id));
      alter table good enable row level security;
      alter table good force row level security;
      create policy owner_all on good to br_owner using (true);`);
    const { findings, summary } = lintSchema(await readSchema(db), {
      globals: { ...GLOBAL, gone: 'not there any more' },
      unreferenced: { ...UNREFERENCED, lost: 'not there any more' },
    });
    expect(findings).toEqual([
      'bad has a primary key that does not start with organization_id',
      'bad.bad_organization_id_fkey is on delete set null, which would clear organization_id too',
      'bad.bad_parent_id_fkey does not carry organization_id to bad',
      'loose has no foreign key that leads to organization',
      'worse.swapped does not carry organization_id to agent_profile',
      'bad does not force row-level security',
      'bad has no policy for br_owner',
      'worse does not force row-level security',
      'worse has no policy for br_owner',
      'worse opens policy everybody to everybody',
      'bad.status is character varying(20) instead of text',
      'bad.status has no CHECK of its words',
      'bad.made_at is timestamp with time zone instead of timestamptz(6)',
      'bad.day is date instead of timestamptz(6)',
      'worse.status has no CHECK of its words',
      'gone is allowed as an exception and does not exist',
      'lost is allowed as an exception and does not exist',
    ]);
    const owned = tables.length - Object.keys(GLOBAL).length;
    expect(summary).toBe(`${owned + 1} of ${owned + 4} tables distributable by organization`);
  });
});

/** The rights of a role by table, on whole tables and on columns. */
async function rightsOf(role: string): Promise<Record<string, string>> {
  const { rows } = await db.query<{ table: string; rights: string }>(
    `with grants as (
       select c.relname, acl.privilege_type, acl.grantee, null as columns
       from pg_class c, aclexplode(c.relacl) acl
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
       union all
       select c.relname, acl.privilege_type, acl.grantee, string_agg(a.attname, ', ' order by a.attname)
       from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) acl
       where c.relnamespace = 'public'::regnamespace group by 1, 2, 3)
     select relname as "table", string_agg(lower(privilege_type) || coalesce(' (' || columns || ')', ''), ', ' order by privilege_type) as rights
     from grants where grantee = case $1 when 'public' then 0::oid else (select oid from pg_roles where rolname = $1) end
     group by 1`,
    [role],
  );
  return Object.fromEntries(rows.map(({ table, rights }) => [table, rights]));
}
