import { Migration } from '@mikro-orm/migrations';

/** Business figures: where they come from, what was read, what is visible since which publication, and what was answered. */
export class Migration20261130081341Insights extends Migration {
  override name = 'Migration20261130081341Insights';

  override up(): void {
    this.addSql(
      `create table "fx_rate" ("day" text collate "C" not null, "currency" text collate "C" not null, "revision" int not null, "rate" numeric not null, "fetched_at" timestamptz(6) not null, primary key ("day", "currency", "revision"));`,
    );

    this.addSql(
      `create table "metric_source" ("organization_id" uuid not null, "id" uuid not null, "provider" text collate "C" not null, "dataset" text collate "C" not null, "environment" text collate "C" not null, "account_id" text collate "C" not null, "resource_id" text collate "C" not null, "integration_id" uuid not null, "connector_key" text not null, "name" text not null, "timezone" text null, "currency" text null, "preferred" boolean not null, "stamp" text not null, "created_at" timestamptz(6) not null, "lease_token" uuid null, "lease_expires_at" timestamptz(6) null, "due_at" timestamptz(6) null, "backoff_until" timestamptz(6) null, "failures" int not null default 0, "rejections" int not null default 0, "paused_reason" text null, "calls_day" text null, "calls" int not null default 0, "coverage" jsonb not null, "last_collected_at" timestamptz(6) null, "last_error" jsonb null, primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index metric_source_due on metric_source (due_at) where due_at is not null and paused_reason is null;`,
    );
    this.addSql(
      `create index "metric_source_of_integration" on "metric_source" ("organization_id", "integration_id");`,
    );
    this.addSql(
      `alter table "metric_source" add constraint "metric_source_identity" unique ("organization_id", "provider", "dataset", "environment", "account_id", "resource_id");`,
    );

    this.addSql(
      `create table "metric_read" ("organization_id" uuid not null, "source_id" uuid not null, "read_key" text collate "C" not null, "version" int not null, "timezone" text not null, "due_at" timestamptz(6) not null, "checkpoint" jsonb null, "progress" jsonb not null, primary key ("organization_id", "source_id", "read_key"));`,
    );

    this.addSql(
      `create table "metric_coverage" ("organization_id" uuid not null, "source_id" uuid not null, "read_key" text collate "C" not null, "read_version" int not null, "timezone" text not null, "period_start" text collate "C" not null, "from_revision" int not null, "to_revision" int null, "status" text not null, "reason" text null, "provisional" boolean not null, "collected_at" timestamptz(6) not null, "reporting" jsonb null, primary key ("organization_id", "source_id", "read_key", "read_version", "timezone", "period_start", "from_revision"));`,
    );
    this.addSql(
      `create unique index metric_coverage_visible on metric_coverage (organization_id, source_id, read_key, read_version, timezone, period_start) where to_revision is null;`,
    );
    this.addSql(
      `create index metric_coverage_superseded on metric_coverage (organization_id, to_revision) where to_revision is not null;`,
    );

    this.addSql(
      `create table "metric_series" ("organization_id" uuid not null, "id" uuid not null, "source_id" uuid not null, "measure" text collate "C" not null, "measure_version" int not null, "timezone" text not null, "grain" text not null, "currency" text null, "cut" text collate "C" null, primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create unique index metric_series_identity on metric_series (organization_id, source_id, measure, measure_version, timezone, grain, currency, cut) nulls not distinct;`,
    );

    this.addSql(
      `create table "metric_restatement" ("organization_id" uuid not null, "series_id" uuid not null, "period_start" text collate "C" not null, "revision" int not null, "old" numeric null, "new" numeric null, "at" timestamptz(6) not null, primary key ("organization_id", "series_id", "period_start", "revision"));`,
    );

    this.addSql(
      `create table "metric_block" ("organization_id" uuid not null, "series_id" uuid not null, "block_start" text collate "C" not null, "from_revision" int not null, "to_revision" int null, "values" numeric[] not null, "reasons" text[] not null, primary key ("organization_id", "series_id", "block_start", "from_revision"));`,
    );
    this.addSql(
      `create unique index metric_block_visible on metric_block (organization_id, series_id, block_start) where to_revision is null;`,
    );
    this.addSql(
      `create index metric_block_superseded on metric_block (organization_id, to_revision) where to_revision is not null;`,
    );

    this.addSql(
      `create table "metric_receipt" ("organization_id" uuid not null, "id" uuid not null, "request" jsonb not null, "answer" bytea not null, "digest" text not null, "publication_revision" int not null, "definitions_revision" int not null, "series_ids" uuid[] not null, "source_ids" uuid[] not null, "from_day" text collate "C" not null, "to_day" text collate "C" not null, "caller" jsonb not null, "created_at" timestamptz(6) not null, primary key ("organization_id", "id"));`,
    );
    this.addSql(`create index metric_receipt_age on metric_receipt (created_at);`);

    this.addSql(
      `create table "metric_publication" ("organization_id" uuid not null, "revision" int not null, "source_id" uuid not null, "collection_id" uuid not null, "at" timestamptz(6) not null, primary key ("organization_id", "revision"));`,
    );
    this.addSql(`create index "metric_publication_at" on "metric_publication" ("organization_id", "at");`);

    this.addSql(
      `create table "metric_definition" ("organization_id" uuid not null, "key" text collate "C" not null, "version" int not null, "hash" text not null, "body" jsonb not null, "current" boolean not null, "recalculation" jsonb not null, primary key ("organization_id", "key", "version"));`,
    );
    this.addSql(
      `create unique index metric_definition_current on metric_definition (organization_id, key) where current;`,
    );

    this.addSql(
      `create table "metric_collection" ("organization_id" uuid not null, "id" uuid not null, "source_id" uuid not null, "read_key" text collate "C" not null, "read_version" int not null, "timezone" text not null, "purpose" text not null, "from_day" text collate "C" not null, "to_day" text collate "C" not null, "status" text not null, "calls" int not null default 0, "collection_generation" text not null, "told" jsonb not null, "revision" int null, "error" jsonb null, "started_at" timestamptz(6) not null, "ended_at" timestamptz(6) null, primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create unique index metric_collection_running on metric_collection (organization_id, source_id) where status = 'running';`,
    );
    this.addSql(`create index metric_collection_ended on metric_collection (ended_at) where ended_at is not null;`);

    this.addSql(
      `create table "metric_staged" ("organization_id" uuid not null, "collection_id" uuid not null, "item_key" text collate "C" not null, "fact" jsonb not null, primary key ("organization_id", "collection_id", "item_key"));`,
    );

    this.addSql(
      `create table "insight_state" ("organization_id" uuid not null, "publication_revision" int not null default 0, "definitions_revision" int not null default 0, "catalog_hash" text null, "timezone" text null, primary key ("organization_id"));`,
    );

    this.addSql(`alter table "fx_rate" enable row level security;`);
    this.addSql(`alter table "fx_rate" force row level security;`);
    this.addSql(`create policy "owner_all" on "fx_rate" to "br_owner" using (true) with check (true);`);
    this.addSql(`create policy "app_reads" on "fx_rate" for select to "br_app" using (true);`);
    this.addSql(`create policy "dispatch_rows" on "fx_rate" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "metric_source" add constraint "metric_source_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "metric_source" add constraint "metric_source_paused_reason_check" check ("paused_reason" in ('access_lost', 'configuration_required'));`,
    );
    this.addSql(`alter table "metric_source" enable row level security;`);
    this.addSql(`alter table "metric_source" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_source" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_source" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "metric_source" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "metric_read" add constraint "metric_read_organization_id_source_id_foreign" foreign key ("organization_id", "source_id") references "metric_source" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "metric_read" enable row level security;`);
    this.addSql(`alter table "metric_read" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_read" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_read" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "metric_coverage" add constraint "metric_coverage_organization_id_source_id_foreign" foreign key ("organization_id", "source_id") references "metric_source" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "metric_coverage" add constraint "metric_coverage_status_check" check ("status" in ('complete', 'partial', 'none'));`,
    );
    this.addSql(
      `alter table "metric_coverage" add constraint "metric_coverage_reason_check" check ("reason" in ('unsupported_capability', 'access_lost', 'configuration_required', 'missing_value', 'non_numeric', 'unit_unverified', 'truncated', 'clipped_period', 'before_version', 'not_retained', 'recalculating', 'collecting'));`,
    );
    this.addSql(`alter table "metric_coverage" enable row level security;`);
    this.addSql(`alter table "metric_coverage" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_coverage" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_coverage" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "metric_coverage" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "metric_series" add constraint "metric_series_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "metric_series" add constraint "metric_series_organization_id_source_id_foreign" foreign key ("organization_id", "source_id") references "metric_source" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "metric_series" add constraint "metric_series_grain_check" check ("grain" in ('day', 'week', 'month'));`,
    );
    this.addSql(`alter table "metric_series" enable row level security;`);
    this.addSql(`alter table "metric_series" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_series" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_series" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "metric_restatement" add constraint "metric_restatement_organization_id_series_id_foreign" foreign key ("organization_id", "series_id") references "metric_series" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "metric_restatement" enable row level security;`);
    this.addSql(`alter table "metric_restatement" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_restatement" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_restatement" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "metric_restatement" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "metric_block" add constraint "metric_block_organization_id_series_id_foreign" foreign key ("organization_id", "series_id") references "metric_series" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "metric_block" enable row level security;`);
    this.addSql(`alter table "metric_block" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_block" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_block" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "metric_block" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "metric_receipt" add constraint "metric_receipt_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "metric_receipt" enable row level security;`);
    this.addSql(`alter table "metric_receipt" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_receipt" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_receipt" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "metric_receipt" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "metric_publication" add constraint "metric_publication_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "metric_publication" add constraint "metric_publication_organization_id_source_id_foreign" foreign key ("organization_id", "source_id") references "metric_source" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "metric_publication" enable row level security;`);
    this.addSql(`alter table "metric_publication" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_publication" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_publication" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "metric_publication" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "metric_definition" add constraint "metric_definition_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "metric_definition" enable row level security;`);
    this.addSql(`alter table "metric_definition" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_definition" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_definition" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "metric_collection" add constraint "metric_collection_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "metric_collection" add constraint "metric_collection_organization_id_source_id_foreign" foreign key ("organization_id", "source_id") references "metric_source" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "metric_collection" add constraint "metric_collection_status_check" check ("status" in ('running', 'published', 'failed', 'abandoned'));`,
    );
    this.addSql(`alter table "metric_collection" enable row level security;`);
    this.addSql(`alter table "metric_collection" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_collection" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_collection" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "metric_collection" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "metric_staged" add constraint "metric_staged_organization_id_collection_id_foreign" foreign key ("organization_id", "collection_id") references "metric_collection" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "metric_staged" enable row level security;`);
    this.addSql(`alter table "metric_staged" force row level security;`);
    this.addSql(`create policy "owner_all" on "metric_staged" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "metric_staged" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "insight_state" add constraint "insight_state_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "insight_state" enable row level security;`);
    this.addSql(`alter table "insight_state" force row level security;`);
    this.addSql(`create policy "owner_all" on "insight_state" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "insight_state" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "insight_state" to "br_dispatch" using (true) with check (true);`);

    // What each role may touch; row-level security above says which rows.
    this.addSql(`grant select, insert, update on insight_state, metric_definition, metric_source to br_app;`);
    this.addSql(`grant select, insert, update, delete on metric_read, metric_collection, metric_staged to br_app;`);
    this.addSql(`grant select, insert on metric_series to br_app;`);
    this.addSql(`grant select, insert, update (to_revision), delete on metric_block, metric_coverage to br_app;`);
    this.addSql(`grant select, insert, delete on metric_publication, metric_restatement, metric_receipt to br_app;`);
    this.addSql(`grant select on fx_rate to br_app;`);
    this.addSql(
      `grant select (organization_id, id, integration_id, due_at, backoff_until, paused_reason, lease_expires_at) on metric_source to br_dispatch;`,
    );
    this.addSql(`grant select (organization_id, catalog_hash) on insight_state to br_dispatch;`);
    this.addSql(`grant select (organization_id, to_revision) on metric_block, metric_coverage to br_dispatch;`);
    this.addSql(`grant select (organization_id, at) on metric_publication, metric_restatement to br_dispatch;`);
    this.addSql(`grant select (organization_id, ended_at) on metric_collection to br_dispatch;`);
    this.addSql(`grant select (organization_id, created_at) on metric_receipt to br_dispatch;`);
    this.addSql(`grant select, insert on fx_rate to br_dispatch;`);
  }
}
