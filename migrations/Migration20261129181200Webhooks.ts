import { Migration } from '@mikro-orm/migrations';

/** Webhooks of owners, their secrets, and what is delivered to them. */
export class Migration20261129181200Webhooks extends Migration {
  override name = 'Migration20261129181200Webhooks';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "webhook" ("organization_id" uuid not null, "id" uuid not null, "url" text not null, "events" text[] not null, "description" text not null default '', "status" text not null default 'enabled', "revision" int not null default 1, "disabled_reason" text null, "disabled_at" timestamptz(6) null, "sequence" bigint not null default '0', "secret_generation" int not null default 1, "previous_secret_expires_at" timestamptz(6) null, "failing_since" timestamptz(6) null, "failures" int not null default 0, "told_failing" boolean not null default false, "last_delivery_at" timestamptz(6) null, "deleted_at" timestamptz(6) null, "created_at" timestamptz(6) not null default statement_timestamp(), "updated_at" timestamptz(6) not null default statement_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(`create index webhook_deleted on webhook (deleted_at) where deleted_at is not null;`);

    this.addSql(
      `create table "webhook_delivery" ("organization_id" uuid not null, "id" uuid not null, "webhook_id" uuid not null, "event_id" uuid not null, "event" text not null, "sequence" bigint not null, "status" text not null default 'pending', "reason" text null, "attempts" jsonb not null default '[]', "attempt_count" int not null default 0, "is_test" boolean not null default false, "next_attempt_at" timestamptz(6) null, "lease_token" uuid null, "lease_expires_at" timestamptz(6) null, "redelivery_of" uuid null, "body" text not null, "created_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index "webhook_delivery_by_webhook" on "webhook_delivery" ("organization_id", "webhook_id", "id");`,
    );
    this.addSql(
      `create index "webhook_delivery_by_status" on "webhook_delivery" ("organization_id", "webhook_id", "status", "id");`,
    );
    this.addSql(
      `create index webhook_delivery_open on webhook_delivery (organization_id, webhook_id, next_attempt_at, id) where status in ('pending', 'failed');`,
    );
    this.addSql(
      `create index webhook_delivery_leased on webhook_delivery (organization_id, webhook_id) where lease_token is not null;`,
    );
    this.addSql(`create index "webhook_delivery_age" on "webhook_delivery" ("created_at");`);
    this.addSql(
      `create unique index "webhook_delivery_sequence" on "webhook_delivery" ("organization_id", "webhook_id", "sequence") where redelivery_of is null;`,
    );

    this.addSql(
      `create table "webhook_secret" ("organization_id" uuid not null, "webhook_id" uuid not null, "generation" int not null, "key_id" text not null, "wrapped_key" bytea not null, "sealed" bytea not null, "expires_at" timestamptz(6) null, primary key ("organization_id", "webhook_id", "generation"));`,
    );

    this.addSql(
      `alter table "webhook" add constraint "webhook_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "webhook" add constraint "webhook_status_check" check ("status" in ('enabled', 'disabled'));`,
    );
    this.addSql(
      `alter table "webhook" add constraint "webhook_disabled_reason_check" check ("disabled_reason" in ('owner', 'gone', 'failing'));`,
    );
    this.addSql(`alter table "webhook" enable row level security;`);
    this.addSql(`alter table "webhook" force row level security;`);
    this.addSql(`create policy "owner_all" on "webhook" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "webhook" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "webhook" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_organization_id_webhook_id_foreign" foreign key ("organization_id", "webhook_id") references "webhook" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_status_check" check ("status" in ('pending', 'delivered', 'failed', 'dead'));`,
    );
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_reason_check" check ("reason" in ('attempts_exhausted', 'webhook_disabled', 'gone'));`,
    );
    this.addSql(`alter table "webhook_delivery" enable row level security;`);
    this.addSql(`alter table "webhook_delivery" force row level security;`);
    this.addSql(`create policy "owner_all" on "webhook_delivery" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "webhook_delivery" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "webhook_delivery" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "webhook_secret" add constraint "webhook_secret_organization_id_webhook_id_foreign" foreign key ("organization_id", "webhook_id") references "webhook" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "webhook_secret" enable row level security;`);
    this.addSql(`alter table "webhook_secret" force row level security;`);
    this.addSql(`create policy "owner_all" on "webhook_secret" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "webhook_secret" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "webhook_secret" to "br_dispatch" using (true) with check (true);`);
    this.addSql(`grant select, insert, update on webhook, webhook_delivery to br_app;`);
    this.addSql(`grant select, insert, delete, update (expires_at) on webhook_secret to br_app;`);
    // Finds what is due, re-wraps secrets and removes what is old; a lock takes the right to update some column.
    this.addSql(
      `grant select (organization_id, id, webhook_id, status, next_attempt_at, lease_expires_at, created_at), delete, update (lease_expires_at) on webhook_delivery to br_dispatch;`,
    );
    this.addSql(
      `grant select (organization_id, id, deleted_at), delete, update (updated_at) on webhook to br_dispatch;`,
    );
    this.addSql(
      `grant select (organization_id, webhook_id, generation, key_id, wrapped_key), update (key_id, wrapped_key) on webhook_secret to br_dispatch;`,
    );
  }
}
