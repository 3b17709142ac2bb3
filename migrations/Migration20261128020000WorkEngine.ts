import { Migration } from '@mikro-orm/migrations';

/** Tasks with their graph, run requests, runs with outcomes, artifacts and logs, durability rows, capacity and dispatch. */
export class Migration20261128020000WorkEngine extends Migration {
  override name = 'Migration20261128020000WorkEngine';

  override up(): void {
    this.addSql(
      `create table "durability_row" ("organization_id" uuid not null, "namespace" text not null, "key" text collate "C" not null, "kind" text not null, "version" int not null, "payload" jsonb not null, "source_run_id" uuid null, "expires_at" timestamptz(6) null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "namespace", "key"));`,
    );
    this.addSql(`create index durability_row_expires on durability_row (expires_at) where expires_at is not null;`);

    this.addSql(
      `create table "organization_dispatch" ("organization_id" uuid not null, "next_ready_at" timestamptz(6) null, "last_served_at" timestamptz(6) not null default '-infinity', primary key ("organization_id"));`,
    );
    this.addSql(
      `create index organization_dispatch_order on organization_dispatch (last_served_at, organization_id) where next_ready_at is not null;`,
    );

    this.addSql(
      `create table "organization_load" ("organization_id" uuid not null, "max_live_runs" int not null default 10, primary key ("organization_id"));`,
    );

    this.addSql(
      `create table "profile_load" ("organization_id" uuid not null, "agent_profile_id" uuid not null, "max_live_runs" int not null default 3, primary key ("organization_id", "agent_profile_id"));`,
    );

    this.addSql(
      `create table "run_log" ("organization_id" uuid not null, "run_id" uuid not null, "sequence" int not null, "run_month" timestamptz(6) not null, "category" text not null, "status" text not null, "label" text not null, "detail" text null, "occurred_at" timestamptz(6) not null, "received_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "run_id", "sequence", "run_month")) partition by range ("run_month");`,
    );
    this.addSql(`create table "run_log_default" partition of "run_log" default;`);

    this.addSql(
      `create table "task" ("organization_id" uuid not null, "id" uuid not null, "identifier_scope" text not null, "identifier_number" int not null, "parent_id" uuid null, "root_task_id" uuid not null, "depth" int not null default 0, "owner_agent_profile_id" uuid not null, "source_chat_id" uuid null, "source_message_id" uuid null, "created_by_run_id" uuid null, "kind" text not null default 'task', "status" text not null, "phase" text not null, "title" text not null, "priority" int not null default 0, "version" int not null default 1, "graph_revision" int not null default 1, "agent_run_count" int not null default 0, "consumed_agent_run_count" int not null default 0, "plan_count" int not null default 0, "plan_failures" int not null default 0, "execute_failures" int not null default 0, "verify_failures" int not null default 0, "refund_streak" int not null default 0, "max_agent_runs" int not null, "max_attempts_per_phase" int not null, "max_replans" int not null, "max_actions" int not null, "verification" text not null default 'none', "spec" jsonb not null, "blockers" jsonb not null default '[]', "result" jsonb null, "unverified_result" jsonb null, "dedupe_key" text not null, "dependents_unsettled" boolean not null default false, "repaired_at" timestamptz(6) null, "scheduled_at" timestamptz(6) null, "due_at" timestamptz(6) null, "started_at" timestamptz(6) null, "completed_at" timestamptz(6) null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(`create index "task_tree" on "task" ("organization_id", "root_task_id", "id");`);
    this.addSql(`create index task_children on task (organization_id, parent_id, id) where parent_id is not null;`);
    this.addSql(`create index "task_by_owner" on "task" ("organization_id", "owner_agent_profile_id", "id");`);
    this.addSql(`create index task_dependents_unsettled on task (organization_id, id) where dependents_unsettled;`);
    this.addSql(
      `create index task_open on task (updated_at, organization_id, id) where status in ('pending', 'running', 'blocked');`,
    );
    this.addSql(
      `alter table "task" add constraint "task_identifier_number" unique ("organization_id", "identifier_scope", "identifier_number");`,
    );
    this.addSql(
      `create unique index "task_dedupe_key" on "task" ("organization_id", "dedupe_key") where status in ('pending', 'running', 'blocked');`,
    );

    this.addSql(
      `create table "run_request" ("organization_id" uuid not null, "id" uuid not null, "task_id" uuid not null, "agent_profile_id" uuid not null, "mode" text not null, "status" text not null default 'queued', "execution_class" text not null, "priority" int not null, "dedupe_key" text not null, "task_version" int not null, "task_graph_revision" int not null, "ready" boolean not null, "available_at" timestamptz(6) not null, "claimed_at" timestamptz(6) null, "claim_expires_at" timestamptz(6) null, "claim_token_hash" bytea null, "worker_id" text null, "boot_id" uuid null, "claim_request_key" text null, "cancel_requested_at" timestamptz(6) null, "requeue_on_cancel" boolean not null default false, "attempt_count" int not null default 0, "max_attempts" int not null, "release_count" int not null default 0, "lapse_count" int not null default 0, "last_run_id" uuid null, "last_error" jsonb null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index run_request_ready on run_request (organization_id, priority desc, execution_class desc, available_at, id) where status = 'queued' and ready;`,
    );
    this.addSql(
      `create index run_request_coming_due on run_request (available_at) where status = 'queued' and not ready;`,
    );
    this.addSql(
      `create index run_request_claimed on run_request (worker_id, claim_request_key) where status = 'claimed';`,
    );
    this.addSql(`create index "run_request_by_task" on "run_request" ("organization_id", "task_id", "id");`);
    this.addSql(
      `create unique index "run_request_open" on "run_request" ("organization_id", "task_id") where status in ('queued', 'claimed', 'running');`,
    );

    this.addSql(
      `create table "run" ("organization_id" uuid not null, "id" uuid not null, "task_id" uuid not null, "run_request_id" uuid not null, "agent_profile_id" uuid not null, "attempt" int not null, "mode" text not null, "status" text not null default 'starting', "task_version" int not null, "catalog_revision" text not null, "model" text not null, "harness" text null, "workspace_uri" text null, "worker_id" text not null, "boot_id" uuid null, "lease_token_hash" bytea not null, "lease_expires_at" timestamptz(6) not null, "heartbeat_at" timestamptz(6) not null default clock_timestamp(), "capability_expires_at" timestamptz(6) not null, "cancel_requested_at" timestamptz(6) null, "output" jsonb null, "error" jsonb null, "usage" jsonb not null default '{"inputTokens":0,"outputTokens":0,"toolCalls":0,"costMinorUnits":0}', "receipts" jsonb not null default '[]', "log_state" text null, "final_digest" text null, "final_answer" jsonb null, "started_at" timestamptz(6) not null default clock_timestamp(), "finished_at" timestamptz(6) null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index run_live on run (organization_id, id) include (agent_profile_id) where status in ('starting', 'running');`,
    );
    this.addSql(`create index "run_by_time" on "run" ("organization_id", "created_at", "id");`);
    this.addSql(`create index "run_by_task" on "run" ("organization_id", "task_id", "created_at", "id");`);
    this.addSql(
      `create unique index "run_live_of_request" on "run" ("organization_id", "run_request_id") where status in ('starting', 'running');`,
    );

    this.addSql(
      `create table "run_outcome" ("organization_id" uuid not null, "run_id" uuid not null, "id" uuid not null, "kind" text not null, "outcome" jsonb not null, "digest" text not null, "staged_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "run_id"));`,
    );

    this.addSql(
      `create table "run_artifact" ("organization_id" uuid not null, "run_id" uuid not null, "sha256" text not null, "size_bytes" bigint not null, "created_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "run_id", "sha256"));`,
    );

    this.addSql(
      `create table "task_dependency" ("organization_id" uuid not null, "task_id" uuid not null, "depends_on_task_id" uuid not null, "status" text not null default 'pending', "required" boolean not null default true, "condition" jsonb not null, "failure" jsonb null, "created_at" timestamptz(6) not null default clock_timestamp(), "satisfied_at" timestamptz(6) null, "failed_at" timestamptz(6) null, primary key ("organization_id", "task_id", "depends_on_task_id"));`,
    );
    this.addSql(
      `create index task_dependency_dependents on task_dependency (organization_id, depends_on_task_id, task_id);`,
    );

    this.addSql(
      `create table "task_identifier" ("organization_id" uuid not null, "scope" text not null, "last_number" int not null, primary key ("organization_id", "scope"));`,
    );

    this.addSql(`create policy "dispatch_rows" on "organization" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "durability_row" add constraint "durability_row_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "durability_row" add constraint "durability_row_namespace_check" check ("namespace" in ('chat', 'task'));`,
    );
    this.addSql(`alter table "durability_row" enable row level security;`);
    this.addSql(`alter table "durability_row" force row level security;`);
    this.addSql(`create policy "owner_all" on "durability_row" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "durability_row" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "durability_row" to "br_dispatch" using (true) with check (true);`);

    this.addSql(`alter table "organization_dispatch" enable row level security;`);
    this.addSql(`alter table "organization_dispatch" force row level security;`);
    this.addSql(`create policy "owner_all" on "organization_dispatch" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "organization_dispatch" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "organization_dispatch" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "organization_load" add constraint "organization_load_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "organization_load" enable row level security;`);
    this.addSql(`alter table "organization_load" force row level security;`);
    this.addSql(`create policy "owner_all" on "organization_load" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "organization_load" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "organization_load" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "profile_load" add constraint "profile_load_organization_id_agent_profile_id_foreign" foreign key ("organization_id", "agent_profile_id") references "agent_profile" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "profile_load" enable row level security;`);
    this.addSql(`alter table "profile_load" force row level security;`);
    this.addSql(`create policy "owner_all" on "profile_load" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "profile_load" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "profile_load" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "run_log" add constraint "run_log_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "run_log" add constraint "run_log_category_check" check ("category" in ('lifecycle', 'execution', 'tool', 'integration', 'workspace', 'git', 'model'));`,
    );
    this.addSql(
      `alter table "run_log" add constraint "run_log_status_check" check ("status" in ('started', 'completed', 'failed', 'info'));`,
    );
    this.addSql(`alter table "run_log" enable row level security;`);
    this.addSql(`alter table "run_log" force row level security;`);
    this.addSql(`create policy "owner_all" on "run_log" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "run_log" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "task" add constraint "task_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_organization_id_parent_id_foreign" foreign key ("organization_id", "parent_id") references "task" ("organization_id", "id") on update no action on delete cascade;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_kind_check" check ("kind" in ('task', 'discovery', 'learning'));`,
    );
    this.addSql(
      `alter table "task" add constraint "task_status_check" check ("status" in ('pending', 'running', 'blocked', 'completed', 'failed', 'cancelled'));`,
    );
    this.addSql(
      `alter table "task" add constraint "task_phase_check" check ("phase" in ('plan', 'execute', 'verify'));`,
    );
    this.addSql(
      `alter table "task" add constraint "task_verification_check" check ("verification" in ('none', 'required'));`,
    );
    this.addSql(`alter table "task" enable row level security;`);
    this.addSql(`alter table "task" force row level security;`);
    this.addSql(`create policy "owner_all" on "task" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "task" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "task" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "run_request" add constraint "run_request_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "run_request" add constraint "run_request_organization_id_task_id_foreign" foreign key ("organization_id", "task_id") references "task" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "run_request" add constraint "run_request_mode_check" check ("mode" in ('plan', 'execute', 'verify'));`,
    );
    this.addSql(
      `alter table "run_request" add constraint "run_request_status_check" check ("status" in ('queued', 'claimed', 'running', 'completed', 'failed', 'cancelled', 'superseded'));`,
    );
    this.addSql(
      `alter table "run_request" add constraint "run_request_execution_class_check" check ("execution_class" in ('standard', 'background'));`,
    );
    this.addSql(`alter table "run_request" enable row level security;`);
    this.addSql(`alter table "run_request" force row level security;`);
    this.addSql(`create policy "owner_all" on "run_request" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "run_request" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "run_request" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "run" add constraint "run_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "run" add constraint "run_organization_id_task_id_foreign" foreign key ("organization_id", "task_id") references "task" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "run" add constraint "run_organization_id_run_request_id_foreign" foreign key ("organization_id", "run_request_id") references "run_request" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "run" add constraint "run_mode_check" check ("mode" in ('plan', 'execute', 'verify'));`);
    this.addSql(
      `alter table "run" add constraint "run_status_check" check ("status" in ('starting', 'running', 'succeeded', 'failed', 'cancelled', 'expired'));`,
    );
    this.addSql(
      `alter table "run" add constraint "run_log_state_check" check ("log_state" in ('complete', 'partial', 'none'));`,
    );
    this.addSql(`alter table "run" enable row level security;`);
    this.addSql(`alter table "run" force row level security;`);
    this.addSql(`create policy "owner_all" on "run" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "run" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "run" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "run_outcome" add constraint "run_outcome_organization_id_run_id_foreign" foreign key ("organization_id", "run_id") references "run" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "run_outcome" add constraint "run_outcome_kind_check" check ("kind" in ('planned', 'handoff', 'verification', 'learning'));`,
    );
    this.addSql(`alter table "run_outcome" enable row level security;`);
    this.addSql(`alter table "run_outcome" force row level security;`);
    this.addSql(`create policy "owner_all" on "run_outcome" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "run_outcome" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "run_artifact" add constraint "run_artifact_organization_id_run_id_foreign" foreign key ("organization_id", "run_id") references "run" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "run_artifact" enable row level security;`);
    this.addSql(`alter table "run_artifact" force row level security;`);
    this.addSql(`create policy "owner_all" on "run_artifact" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "run_artifact" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "task_dependency" add constraint "task_dependency_organization_id_task_id_foreign" foreign key ("organization_id", "task_id") references "task" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "task_dependency" add constraint "task_dependency_organization_id_depends_on_task_id_foreign" foreign key ("organization_id", "depends_on_task_id") references "task" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "task_dependency" add constraint "task_dependency_status_check" check ("status" in ('pending', 'satisfied', 'failed', 'waived'));`,
    );
    this.addSql(`alter table "task_dependency" enable row level security;`);
    this.addSql(`alter table "task_dependency" force row level security;`);
    this.addSql(`create policy "owner_all" on "task_dependency" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "task_dependency" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "task_dependency" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "task_identifier" add constraint "task_identifier_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "task_identifier" enable row level security;`);
    this.addSql(`alter table "task_identifier" force row level security;`);
    this.addSql(`create policy "owner_all" on "task_identifier" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "task_identifier" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    // What each role may touch; row-level security above says which rows. Locking a row takes UPDATE.
    this.addSql(
      `grant select, insert, update on task, task_identifier, run_request, run, organization_load, profile_load, organization_dispatch to br_app;`,
    );
    this.addSql(`grant select, insert, update, delete on task_dependency, run_outcome, durability_row to br_app;`);
    this.addSql(`grant select, insert on run_artifact, run_log to br_app;`);
    // Claims, ticks and sweeps find rows across organizations; what they find is then moved inside its organization.
    this.addSql(`grant select (id, status, work_dispatch_stopped_at) on organization to br_dispatch;`);
    this.addSql(`grant select on organization_load, profile_load, task, task_dependency to br_dispatch;`);
    this.addSql(
      `grant select (organization_id, id, task_id, run_request_id, agent_profile_id, status, worker_id, boot_id, started_at, lease_expires_at, heartbeat_at, cancel_requested_at, final_digest, finished_at) on run to br_dispatch;`,
    );
    this.addSql(
      `grant select, update (status, ready, available_at, claimed_at, claim_expires_at, claim_token_hash, worker_id, boot_id, claim_request_key, release_count, lapse_count, updated_at) on run_request to br_dispatch;`,
    );
    this.addSql(`grant select, insert, update on organization_dispatch to br_dispatch;`);
    this.addSql(`grant select, delete on durability_row to br_dispatch;`);

    // Leases and statuses change often and in place.
    this.addSql(`alter table run set (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);`);
    this.addSql(`alter table run_request set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);`);
    this.addSql(`alter table task set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);`);
    this.addSql(`alter table organization_dispatch set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);`);

    // Organizations and profiles that are there already; a release that knows no load rows may still add some.
    this.addSql(`insert into organization_load (organization_id) select id from organization on conflict do nothing;`);
    this.addSql(
      `insert into profile_load (organization_id, agent_profile_id) select organization_id, id from agent_profile on conflict do nothing;`,
    );

    // This month and the three after it; from then on a job keeps ahead.
    this.addSql(`do $$
      begin
        for ahead in 0..3 loop
          execute format('create table %I partition of run_log for values from (%L) to (%L)',
            'run_log_' || to_char(date_trunc('month', now() at time zone 'utc') + ahead * interval '1 month', 'YYYY_MM'),
            to_char(date_trunc('month', now() at time zone 'utc') + ahead * interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'),
            to_char(date_trunc('month', now() at time zone 'utc') + (ahead + 1) * interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'));
        end loop;
      end $$;`);
  }
}
