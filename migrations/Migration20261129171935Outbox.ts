import { Migration } from '@mikro-orm/migrations';

/** Events that are still to be handled, who subscribed to the activity log, and what keys of stored secrets are known by. */
export class Migration20261129171935Outbox extends Migration {
  override name = 'Migration20261129171935Outbox';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "encryption_key_check" ("key_id" text not null, "wrapped_key" bytea not null, "sealed" bytea not null, primary key ("key_id"));`,
    );

    this.addSql(
      `create table "activity_subscription" ("organization_id" uuid not null, "kind" text not null, "verbs" text[] not null, primary key ("organization_id", "kind"));`,
    );

    this.addSql(
      `create table "outbox_event" ("organization_id" uuid not null, "kind" text not null, "id" uuid not null, "payload" jsonb not null, "recorded_at" timestamptz(6) not null, primary key ("organization_id", "kind", "id"));`,
    );
    this.addSql(`create index "outbox_event_recorded" on "outbox_event" ("recorded_at");`);

    this.addSql(`alter table "encryption_key_check" enable row level security;`);
    this.addSql(`alter table "encryption_key_check" force row level security;`);
    this.addSql(`create policy "owner_all" on "encryption_key_check" to "br_owner" using (true) with check (true);`);

    this.addSql(
      `alter table "activity_subscription" add constraint "activity_subscription_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "activity_subscription" enable row level security;`);
    this.addSql(`alter table "activity_subscription" force row level security;`);
    this.addSql(`create policy "owner_all" on "activity_subscription" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "activity_subscription" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "activity_subscription" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(`alter table "outbox_event" enable row level security;`);
    this.addSql(`alter table "outbox_event" force row level security;`);
    this.addSql(`create policy "owner_all" on "outbox_event" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "outbox_event" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "outbox_event" to "br_dispatch" using (true) with check (true);`);
    // A lock takes the right to update some column.
    for (const role of ['br_app', 'br_dispatch']) {
      this.addSql(`grant insert, delete, update (recorded_at) on outbox_event to ${role};`);
      this.addSql(`grant select on activity_subscription to ${role};`);
    }
    this.addSql(`grant select on outbox_event to br_app;`);
    this.addSql(`grant select (organization_id, kind, id, recorded_at) on outbox_event to br_dispatch;`);
    this.addSql(`grant insert, update, delete on activity_subscription to br_app;`);
  }
}
