import { Migration } from '@mikro-orm/migrations';

/** Schedules and what became of their slots. */
export class Migration20261128024411Schedules extends Migration {
  override name = 'Migration20261128024411Schedules';

  override up(): void {
    this.addSql(
      `create table "schedule" ("organization_id" uuid not null, "id" uuid not null, "agent_profile_id" uuid not null, "key" text collate "C" not null, "name" text not null, "status" text not null default 'enabled', "origin" text not null, "created_by_agent_profile_id" uuid null, "source_run_id" uuid null, "source_chat_id" uuid null, "source_message_id" uuid null, "trigger" jsonb not null, "task_template" jsonb not null, "creation_digest" text not null, "next_run_at" timestamptz(6) null, "last_run_at" timestamptz(6) null, "last_error" jsonb null, "last_task_id" uuid null, "missed_count" int not null default 0, "overlap_skipped" int not null default 0, "deleted_at" timestamptz(6) null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index schedule_due on schedule (next_run_at, organization_id, id) where status = 'enabled' and next_run_at is not null;`,
    );
    this.addSql(`create index "schedule_by_profile" on "schedule" ("organization_id", "agent_profile_id", "id");`);
    this.addSql(
      `create unique index "schedule_key" on "schedule" ("organization_id", "key") where deleted_at is null;`,
    );

    this.addSql(
      `create table "schedule_occurrence" ("organization_id" uuid not null, "id" uuid not null, "schedule_id" uuid not null, "planned_at" timestamptz(6) not null, "origin" text not null, "status" text not null, "reason" text null, "task_id" uuid null, "created_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `alter table "schedule_occurrence" add constraint "schedule_occurrence_slot" unique ("organization_id", "schedule_id", "planned_at");`,
    );

    this.addSql(
      `alter table "schedule" add constraint "schedule_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "schedule" add constraint "schedule_status_check" check ("status" in ('enabled', 'paused'));`,
    );
    this.addSql(
      `alter table "schedule" add constraint "schedule_origin_check" check ("origin" in ('system', 'user', 'agent'));`,
    );
    this.addSql(`alter table "schedule" enable row level security;`);
    this.addSql(`alter table "schedule" force row level security;`);
    this.addSql(`create policy "owner_all" on "schedule" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "schedule" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "schedule" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "schedule_occurrence" add constraint "schedule_occurrence_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "schedule_occurrence" add constraint "schedule_occurrence_organization_id_schedule_id_foreign" foreign key ("organization_id", "schedule_id") references "schedule" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "schedule_occurrence" add constraint "schedule_occurrence_origin_check" check ("origin" in ('timer', 'run_now'));`,
    );
    this.addSql(
      `alter table "schedule_occurrence" add constraint "schedule_occurrence_status_check" check ("status" in ('planned', 'created', 'skipped'));`,
    );
    this.addSql(
      `alter table "schedule_occurrence" add constraint "schedule_occurrence_reason_check" check ("reason" in ('overlap', 'dispatch_stopped', 'profile_disabled', 'missed'));`,
    );
    this.addSql(`alter table "schedule_occurrence" enable row level security;`);
    this.addSql(`alter table "schedule_occurrence" force row level security;`);
    this.addSql(`create policy "owner_all" on "schedule_occurrence" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "schedule_occurrence" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    // What each role may touch; row-level security above says which rows. Locking a row takes UPDATE.
    this.addSql(`grant select, insert, update on schedule to br_app;`);
    this.addSql(`grant select, insert on schedule_occurrence to br_app;`);
    // The tick finds due schedules across organizations; each then fires inside its own.
    this.addSql(`grant select (organization_id, id, status, trigger, next_run_at) on schedule to br_dispatch;`);

    // A schedule moves at each of its slots.
    this.addSql(`alter table schedule set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);`);
  }
}
