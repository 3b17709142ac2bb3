import { Migration } from '@mikro-orm/migrations';

/** What people have to answer, decide or know. */
export class Migration20261129171349InboxItems extends Migration {
  override name = 'Migration20261129171349InboxItems';

  override up(): void {
    this.addSql(
      `create table "inbox_item" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "purpose" text null, "status" text not null default 'open', "severity" text not null, "title" text not null, "body" text not null, "presentation" jsonb not null, "opened_by" text not null, "opened_by_profile_key" text null, "task_id" uuid null, "run_id" uuid null, "turn_id" uuid null, "chat_id" uuid null, "action_id" uuid null, "dedupe_scope" uuid null, "dedupe_key" text collate "C" null, "occurrences" int not null default 1, "response" jsonb null, "closure" jsonb null, "expires_at" timestamptz(6) null, "created_at" timestamptz(6) not null default statement_timestamp(), "updated_at" timestamptz(6) not null default statement_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index inbox_item_open on inbox_item (organization_id, kind, created_at, id) where status = 'open';`,
    );
    this.addSql(
      `create index inbox_item_by_kind on inbox_item (organization_id, kind, created_at, id) where created_at > '-infinity';`,
    );
    this.addSql(
      `create index inbox_item_by_status on inbox_item (organization_id, status, created_at, id) where created_at > '-infinity';`,
    );
    this.addSql(
      `create index inbox_item_by_task_id on inbox_item (organization_id, task_id, id) where task_id is not null;`,
    );
    this.addSql(
      `create index inbox_item_by_run_id on inbox_item (organization_id, run_id, id) where run_id is not null;`,
    );
    this.addSql(
      `create index inbox_item_by_chat_id on inbox_item (organization_id, chat_id, id) where chat_id is not null;`,
    );
    this.addSql(
      `create index inbox_item_by_action_id on inbox_item (organization_id, action_id, id) where action_id is not null;`,
    );
    this.addSql(
      `create index inbox_item_of_turn on inbox_item (organization_id, turn_id) where status = 'open' and turn_id is not null;`,
    );
    this.addSql(
      `create index inbox_item_expires on inbox_item (expires_at, organization_id, id) where status = 'open' and kind in ('question', 'notification') and expires_at is not null;`,
    );
    this.addSql(
      `create unique index "inbox_item_dedupe_key" on "inbox_item" ("organization_id", "dedupe_scope", "dedupe_key") where status = 'open' and dedupe_key is not null;`,
    );

    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_closed" check ((status = 'open') = (closure is null));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_answered" check ((status = 'answered') = (response is not null));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_purpose" check ((kind = 'question') = (purpose is not null));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_kind_check" check ("kind" in ('question', 'notification', 'approval', 'reconciliation'));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_purpose_check" check ("purpose" in ('task', 'learning_input'));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_status_check" check ("status" in ('open', 'answered', 'acknowledged', 'resolved', 'expired', 'withdrawn'));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_severity_check" check ("severity" in ('info', 'attention', 'action_required'));`,
    );
    this.addSql(
      `alter table "inbox_item" add constraint "inbox_item_opened_by_check" check ("opened_by" in ('agent', 'system'));`,
    );
    this.addSql(`alter table "inbox_item" enable row level security;`);
    this.addSql(`alter table "inbox_item" force row level security;`);
    this.addSql(`create policy "owner_all" on "inbox_item" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "inbox_item" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "inbox_item" to "br_dispatch" using (true) with check (true);`);

    // What each role may touch; row-level security above says which rows. Locking a row takes UPDATE.
    this.addSql(`grant select, insert, update on inbox_item to br_app;`);
    // The sweep finds expired items across organizations, and a plain completion asks whether its task has open ones.
    this.addSql(
      `grant select (organization_id, id, kind, purpose, status, task_id, expires_at) on inbox_item to br_dispatch;`,
    );
  }
}
