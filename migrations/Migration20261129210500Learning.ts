import { Migration } from '@mikro-orm/migrations';

/** What profiles learn, and what they still have to. */
export class Migration20261129210500Learning extends Migration {
  override name = 'Migration20261129210500Learning';

  override up(): void {
    this.addSql(
      `create table "lesson" ("organization_id" uuid not null, "agent_profile_id" uuid not null, "key" text collate "C" not null, "lesson" text not null, "source_task_ids" jsonb not null, "evidence" jsonb not null, "human_inbox_item_ids" jsonb not null, "supersedes" text null, "created_at" timestamptz(6) not null, primary key ("organization_id", "agent_profile_id", "key"));`,
    );

    this.addSql(
      `create table "learning_refresh" ("organization_id" uuid not null, "agent_profile_id" uuid not null, "requested_at" timestamptz(6) not null, primary key ("organization_id", "agent_profile_id"));`,
    );

    this.addSql(
      `create table "profile_memory" ("organization_id" uuid not null, "agent_profile_id" uuid not null, "revision" int not null, "learned_revision" int not null, "watermark_task_id" uuid null, "watermark_at" timestamptz(6) null, "suggestions" jsonb not null, "last_learned_at" timestamptz(6) null, "cycle_started_at" timestamptz(6) null, "source_task_id" uuid null, "created_at" timestamptz(6) not null default statement_timestamp(), "updated_at" timestamptz(6) not null default statement_timestamp(), primary key ("organization_id", "agent_profile_id"));`,
    );

    this.addSql(
      `create table "revoked_lesson" ("organization_id" uuid not null, "agent_profile_id" uuid not null, "key" text collate "C" not null, "lesson" text not null, "digest" text not null, "reason" text not null, "revoked_by" jsonb not null, "revoked_at" timestamptz(6) not null, primary key ("organization_id", "agent_profile_id", "key"));`,
    );

    this.addSql(
      `create index inbox_item_learning_input on inbox_item (organization_id, opened_by_profile_key, status, updated_at, id) where purpose = 'learning_input';`,
    );

    this.addSql(
      `create index task_ended_of_profile on task (organization_id, owner_agent_profile_id, completed_at, id) where completed_at is not null and kind <> 'learning';`,
    );

    this.addSql(
      `alter table "lesson" add constraint "lesson_organization_id_agent_profile_id_foreign" foreign key ("organization_id", "agent_profile_id") references "agent_profile" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "lesson" enable row level security;`);
    this.addSql(`alter table "lesson" force row level security;`);
    this.addSql(`create policy "owner_all" on "lesson" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "lesson" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "learning_refresh" add constraint "learning_refresh_organization_id_agent_profile_id_foreign" foreign key ("organization_id", "agent_profile_id") references "agent_profile" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "learning_refresh" enable row level security;`);
    this.addSql(`alter table "learning_refresh" force row level security;`);
    this.addSql(`create policy "owner_all" on "learning_refresh" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "learning_refresh" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "learning_refresh" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "profile_memory" add constraint "profile_memory_organization_id_agent_profile_id_foreign" foreign key ("organization_id", "agent_profile_id") references "agent_profile" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "profile_memory" enable row level security;`);
    this.addSql(`alter table "profile_memory" force row level security;`);
    this.addSql(`create policy "owner_all" on "profile_memory" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "profile_memory" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "revoked_lesson" add constraint "revoked_lesson_organization_id_agent_profile_id_foreign" foreign key ("organization_id", "agent_profile_id") references "agent_profile" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "revoked_lesson" enable row level security;`);
    this.addSql(`alter table "revoked_lesson" force row level security;`);
    this.addSql(`create policy "owner_all" on "revoked_lesson" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "revoked_lesson" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    // What each role may touch; row-level security above says which rows. Locking a row takes UPDATE.
    this.addSql(`grant select, insert, update on profile_memory to br_app;`);
    this.addSql(`grant select, insert, update, delete on lesson to br_app;`);
    this.addSql(`grant select, insert on revoked_lesson to br_app;`);
    this.addSql(`grant select, insert, update, delete on learning_refresh to br_app;`);
    this.addSql(`grant select on learning_refresh to br_dispatch;`);
  }
}
