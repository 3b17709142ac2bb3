import { Migration } from '@mikro-orm/migrations';

/** Onboardings, what owners give to them, and uploads at work. */
export class Migration20261129205405Onboarding extends Migration {
  override name = 'Migration20261129205405Onboarding';

  override up(): void {
    this.addSql(
      `create table "onboarding_upload" ("organization_id" uuid not null, "id" uuid not null, "abandoned" boolean not null default false, "begun_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );

    this.addSql(
      `create table "onboarding_source" ("organization_id" uuid not null, "id" uuid not null, "kind" text not null, "file_name" text not null, "media_type" text not null, "size_bytes" bigint not null, "sha256" text not null, "department" text null, "upload_id" uuid not null, "knowledge_id" uuid not null, "deaths" int not null default 0, "extractor_version" text null, "result" jsonb null, "created_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );

    this.addSql(
      `create table "onboarding" ("organization_id" uuid not null, "state" text not null default 'draft', "review" jsonb null, "error" jsonb null, "generation" int not null default 0, "lease_expires_at" timestamptz(6) null, "lapses" int not null default 0, "turn_at" timestamptz(6) not null default clock_timestamp(), "started_at" timestamptz(6) null, "completed_at" timestamptz(6) null, "created_at" timestamptz(6) not null default statement_timestamp(), "updated_at" timestamptz(6) not null default statement_timestamp(), primary key ("organization_id"));`,
    );
    this.addSql(
      `create index onboarding_reviewing on onboarding (turn_at, organization_id) where state = 'reviewing';`,
    );

    this.addSql(
      `alter table "onboarding_upload" add constraint "onboarding_upload_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "onboarding_upload" enable row level security;`);
    this.addSql(`alter table "onboarding_upload" force row level security;`);
    this.addSql(`create policy "owner_all" on "onboarding_upload" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "onboarding_upload" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "onboarding_upload" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "onboarding_source" add constraint "onboarding_source_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "onboarding_source" add constraint "onboarding_source_kind_check" check ("kind" in ('file', 'note'));`,
    );
    this.addSql(
      `alter table "onboarding_source" add constraint "onboarding_source_department_check" check ("department" in ('growth', 'engineering', 'support'));`,
    );
    this.addSql(`alter table "onboarding_source" enable row level security;`);
    this.addSql(`alter table "onboarding_source" force row level security;`);
    this.addSql(`create policy "owner_all" on "onboarding_source" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "onboarding_source" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "onboarding" add constraint "onboarding_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "onboarding" add constraint "onboarding_state_check" check ("state" in ('draft', 'reviewing', 'review_ready', 'completed', 'failed', 'discarded'));`,
    );
    this.addSql(`alter table "onboarding" enable row level security;`);
    this.addSql(`alter table "onboarding" force row level security;`);
    this.addSql(`create policy "owner_all" on "onboarding" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "onboarding" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "onboarding" to "br_dispatch" using (true) with check (true);`);
    this.addSql(`grant select, insert, update on onboarding to br_app;`);
    this.addSql(
      `grant select, insert, delete, update (deaths, extractor_version, result) on onboarding_source to br_app;`,
    );
    this.addSql(`grant select, insert, delete, update (abandoned) on onboarding_upload to br_app;`);
    // The jobs find what waits for a review and what nobody carries on with; each moves inside its organization.
    this.addSql(`grant select (organization_id, state, lease_expires_at, turn_at) on onboarding to br_dispatch;`);
    this.addSql(`grant select (organization_id, id, begun_at) on onboarding_upload to br_dispatch;`);
  }
}
