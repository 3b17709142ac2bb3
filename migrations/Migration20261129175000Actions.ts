import { Migration } from '@mikro-orm/migrations';

/** Consequential operations, with what a run may wait for of them. */
export class Migration20261129175000Actions extends Migration {
  override name = 'Migration20261129175000Actions';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "action" ("organization_id" uuid not null, "id" uuid not null, "reference" text not null, "kind" text not null, "title" text not null, "summary" text not null, "connector_key" text not null, "integration_id" uuid null, "tool_name" text not null, "arguments" text not null, "arguments_digest" text not null, "preview" text not null, "task_id" uuid null, "task_version" int null, "run_id" uuid null, "chat_id" uuid null, "chat_message_id" uuid null, "agent_profile_id" uuid not null, "risk" text not null, "policy" jsonb not null, "approval_required" boolean not null, "decision" jsonb null, "status" text not null, "revision" int not null default 1, "authorization_epoch" int not null, "facts" jsonb not null, "result" jsonb null, "error" jsonb null, "dedupe_key" text not null, "inbox_item_id" uuid null, "expires_at" timestamptz(6) not null, "awaits_since" timestamptz(6) null, "approved_at" timestamptz(6) null, "executor_token" uuid null, "lease_expires_at" timestamptz(6) null, "lapses" int not null default 0, "sent_at" timestamptz(6) null, "settle_at" timestamptz(6) null, "settle_attempts" int not null default 0, "finished_at" timestamptz(6) null, "created_at" timestamptz(6) not null default statement_timestamp(), "updated_at" timestamptz(6) not null default statement_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(`create index "action_by_status" on "action" ("organization_id", "status", "id");`);
    this.addSql(`create index action_by_task on action (organization_id, task_id, id) where task_id is not null;`);
    this.addSql(`create index action_by_chat on action (organization_id, chat_id, id) where chat_id is not null;`);
    this.addSql(
      `create index action_unresolved_of_task on action (organization_id, task_id) where task_id is not null and status in ('awaiting_approval', 'approved', 'executing', 'reconciliation_required');`,
    );
    this.addSql(`create index action_approved on action (approved_at, organization_id, id) where status = 'approved';`);
    this.addSql(
      `create index action_awaiting on action (expires_at, organization_id, id) where status = 'awaiting_approval';`,
    );
    this.addSql(
      `create index action_executing on action (lease_expires_at, organization_id, id) where status = 'executing';`,
    );
    this.addSql(
      `create index action_unsettled on action (settle_at, organization_id, id) where status = 'reconciliation_required' and settle_at is not null;`,
    );
    this.addSql(`alter table "action" add constraint "action_reference" unique ("organization_id", "reference");`);
    this.addSql(
      `create unique index "action_task_dedupe_key" on "action" ("organization_id", "task_id", "dedupe_key") where task_id is not null;`,
    );
    this.addSql(
      `create unique index "action_chat_dedupe_key" on "action" ("organization_id", "chat_id", "dedupe_key") where chat_id is not null;`,
    );

    this.addSql(
      `create table "action_receipt" ("organization_id" uuid not null, "action_id" uuid not null, "run_id" uuid not null, "task_version" int not null, "created_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "action_id", "run_id"));`,
    );

    this.addSql(
      `alter table "action" add constraint "action_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "action" add constraint "action_task_or_chat" check ((task_id is null) <> (chat_id is null));`,
    );
    this.addSql(
      `alter table "action" add constraint "action_kind_check" check ("kind" in ('tool_call', 'git_push', 'webhook_call'));`,
    );
    this.addSql(
      `alter table "action" add constraint "action_risk_check" check ("risk" in ('low', 'external', 'high'));`,
    );
    this.addSql(
      `alter table "action" add constraint "action_status_check" check ("status" in ('awaiting_approval', 'approved', 'executing', 'reconciliation_required', 'succeeded', 'failed', 'not_executed', 'rejected', 'expired', 'cancelled'));`,
    );
    this.addSql(`alter table "action" enable row level security;`);
    this.addSql(`alter table "action" force row level security;`);
    this.addSql(`create policy "owner_all" on "action" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "action" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "action" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "action_receipt" add constraint "action_receipt_organization_id_action_id_foreign" foreign key ("organization_id", "action_id") references "action" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "action_receipt" enable row level security;`);
    this.addSql(`alter table "action_receipt" force row level security;`);
    this.addSql(`create policy "owner_all" on "action_receipt" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "action_receipt" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `grant select, insert, update (policy, approval_required, decision, status, revision, result, error, inbox_item_id, awaits_since, approved_at, executor_token, lease_expires_at, lapses, sent_at, settle_at, settle_attempts, finished_at, updated_at) on action to br_app;`,
    );
    this.addSql(`grant select, insert, update (task_version, created_at) on action_receipt to br_app;`);
    // The jobs find what is due; each action is then moved inside its organization.
    this.addSql(
      `grant select (organization_id, id, task_id, chat_id, status, approved_at, expires_at, lease_expires_at, sent_at, settle_at) on action to br_dispatch;`,
    );
  }
}
