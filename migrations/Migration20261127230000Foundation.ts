import { Migration } from '@mikro-orm/migrations';

/** Organizations with their directory and activity, agent profiles with the catalog, idempotency keys. */
export class Migration20261127230000Foundation extends Migration {
  override name = 'Migration20261127230000Foundation';

  override up(): void {
    this.addSql(
      `create table "catalog_revision" ("revision" text not null, "version" int not null, "catalog" jsonb not null, "instructions" jsonb not null, "published_at" timestamptz(6) not null default clock_timestamp(), primary key ("revision"));`,
    );
    this.addSql(`alter table "catalog_revision" add constraint "catalog_revision_version_unique" unique ("version");`);

    this.addSql(
      `create table "idempotency_key" ("subject" text not null, "key" uuid not null, "digest" text not null, "answer" jsonb null, "organization_id" uuid null, "created_at" timestamptz(6) not null default clock_timestamp(), "expires_at" timestamptz(6) not null, primary key ("subject", "key"));`,
    );
    this.addSql(`create index "idempotency_key_expires_at_index" on "idempotency_key" ("expires_at");`);
    this.addSql(`create index "idempotency_key_organization_id_index" on "idempotency_key" ("organization_id");`);

    this.addSql(
      `create table "membership" ("organization_id" uuid not null, "subject" text not null, "role" text not null, "added_by" text not null, "created_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "subject"));`,
    );
    this.addSql(`create index "membership_by_subject" on "membership" ("subject", "organization_id");`);

    this.addSql(
      `create table "organization" ("id" uuid not null, "slug" text not null, "name" text not null, "status" text not null, "website" text not null, "default_currency" text not null, "timezone" text not null, "onboarded_at" timestamptz(6) null, "work_dispatch_stopped_at" timestamptz(6) null, "authorization_epoch" int not null default 1, "enabled_departments" text[] not null, "max_task_depth" int not null default 4, "max_plan_operations" int not null default 25, "max_initiative_descendants" int not null default 100, "allowed_integrations" text[] not null, "blocked_domains" text[] not null, "approval_required_for_risk" text[] not null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("id"));`,
    );
    this.addSql(`create index "organization_deleting" on "organization" ("updated_at") where status = 'deleting';`);

    this.addSql(
      `create table "agent_profile" ("organization_id" uuid not null, "id" uuid not null, "key" text not null, "name" text not null, "kind" text not null, "department" text null, "status" text not null, "root_uri" text not null, "instructions_uri" text not null, "memory_root_uri" text not null, "config" jsonb not null, "catalog_template_key" text not null, "catalog_revision" text not null, "catalog_update_policy" text not null, "deleted_at" timestamptz(6) null, "created_at" timestamptz(6) not null default clock_timestamp(), "updated_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index "agent_profile_auto" on "agent_profile" ("catalog_template_key", "catalog_revision") where catalog_update_policy = 'auto';`,
    );
    this.addSql(
      `create unique index "agent_profile_key" on "agent_profile" ("organization_id", "key") where deleted_at is null;`,
    );
    this.addSql(
      `create unique index "agent_profile_single_kind" on "agent_profile" ("organization_id", "kind") where kind in ('operator', 'chat') and deleted_at is null;`,
    );

    this.addSql(
      `create table "activity" ("organization_id" uuid not null, "at" timestamptz(6) not null default clock_timestamp(), "id" uuid not null, "actor_kind" text not null, "actor_id" text not null, "actor_name" text not null, "verb" text not null, "subject_kind" text not null, "subject_id" text not null, "subject_label" text not null, "details" jsonb not null, primary key ("organization_id", "at", "id")) partition by range ("at");`,
    );
    this.addSql(`create table "activity_default" partition of "activity" default;`);

    this.addSql(
      `create table "organization_slug" ("slug" text not null, "organization_id" uuid not null, primary key ("slug"));`,
    );
    this.addSql(
      `alter table "organization_slug" add constraint "organization_slug_organization_id_unique" unique ("organization_id");`,
    );

    this.addSql(
      `create table "owner_token" ("id" uuid not null, "subject" text not null, "name" text not null, "prefix" text not null, "token_hash" bytea not null, "created_at" timestamptz(6) not null default clock_timestamp(), "expires_at" timestamptz(6) null, "last_used_at" timestamptz(6) null, primary key ("id"));`,
    );
    this.addSql(`alter table "owner_token" add constraint "owner_token_token_hash_unique" unique ("token_hash");`);
    this.addSql(`create index "owner_token_by_subject" on "owner_token" ("subject", "id");`);

    this.addSql(`alter table "catalog_revision" enable row level security;`);
    this.addSql(`alter table "catalog_revision" force row level security;`);
    this.addSql(`create policy "owner_all" on "catalog_revision" to "br_owner" using (true) with check (true);`);
    this.addSql(`create policy "app_reads" on "catalog_revision" for select to "br_app" using (true);`);
    this.addSql(`create policy "dispatch_rows" on "catalog_revision" to "br_dispatch" using (true) with check (true);`);

    this.addSql(`alter table "idempotency_key" enable row level security;`);
    this.addSql(`alter table "idempotency_key" force row level security;`);
    this.addSql(`create policy "owner_all" on "idempotency_key" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "idempotency_key" to "br_app" using (subject = current_setting('app.subject', true)) with check (subject = current_setting('app.subject', true));`,
    );
    this.addSql(`create policy "dispatch_rows" on "idempotency_key" to "br_dispatch" using (true) with check (true);`);

    this.addSql(`alter table "membership" add constraint "membership_role_check" check ("role" in ('owner'));`);
    this.addSql(`alter table "membership" enable row level security;`);
    this.addSql(`alter table "membership" force row level security;`);
    this.addSql(`create policy "owner_all" on "membership" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "membership" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "app_reads" on "membership" for select to "br_app" using (subject = current_setting('app.subject', true));`,
    );

    this.addSql(
      `alter table "organization" add constraint "organization_departments_check" check (enabled_departments <@ array['growth', 'engineering', 'support']);`,
    );
    this.addSql(
      `alter table "organization" add constraint "organization_status_check" check ("status" in ('active', 'onboarding', 'deleting'));`,
    );
    this.addSql(`alter table "organization" enable row level security;`);
    this.addSql(`alter table "organization" force row level security;`);
    this.addSql(`create policy "owner_all" on "organization" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "organization" to "br_app" using (id = nullif(current_setting('app.org', true), '')::uuid) with check (id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "app_reads" on "organization" for select to "br_app" using (current_setting('app.subject', true) = 'bootstrap' or exists (select from membership m where m.organization_id = organization.id and m.subject = current_setting('app.subject', true)));`,
    );

    this.addSql(
      `alter table "agent_profile" add constraint "agent_profile_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "agent_profile" add constraint "agent_profile_kind_has_department" check ((kind = 'department') = (department is not null));`,
    );
    this.addSql(
      `alter table "agent_profile" add constraint "agent_profile_kind_check" check ("kind" in ('operator', 'chat', 'department'));`,
    );
    this.addSql(
      `alter table "agent_profile" add constraint "agent_profile_department_check" check ("department" in ('growth', 'engineering', 'support'));`,
    );
    this.addSql(
      `alter table "agent_profile" add constraint "agent_profile_status_check" check ("status" in ('enabled', 'disabled'));`,
    );
    this.addSql(
      `alter table "agent_profile" add constraint "agent_profile_catalog_update_policy_check" check ("catalog_update_policy" in ('auto', 'pinned'));`,
    );
    this.addSql(`alter table "agent_profile" enable row level security;`);
    this.addSql(`alter table "agent_profile" force row level security;`);
    this.addSql(`create policy "owner_all" on "agent_profile" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "agent_profile" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "agent_profile" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "activity" add constraint "activity_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "activity" add constraint "activity_actor_kind_check" check ("actor_kind" in ('owner', 'agent', 'runtime', 'system'));`,
    );
    this.addSql(`alter table "activity" enable row level security;`);
    this.addSql(`alter table "activity" force row level security;`);
    this.addSql(`create policy "owner_all" on "activity" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "activity" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(`alter table "organization_slug" enable row level security;`);
    this.addSql(`alter table "organization_slug" force row level security;`);
    this.addSql(`create policy "owner_all" on "organization_slug" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "organization_slug" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "app_reads" on "organization_slug" for select to "br_app" using (true);`);

    this.addSql(`alter table "owner_token" enable row level security;`);
    this.addSql(`alter table "owner_token" force row level security;`);
    this.addSql(`create policy "owner_all" on "owner_token" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "owner_token" to "br_app" using (subject = current_setting('app.subject', true) or current_setting('app.subject', true) = 'bootstrap') with check (subject = current_setting('app.subject', true) or current_setting('app.subject', true) = 'bootstrap');`,
    );

    // What each role may touch; row-level security above says which rows.
    this.addSql(`grant select, insert, update on organization to br_app;`);
    this.addSql(`grant select, insert, delete on organization_slug, membership, owner_token to br_app;`);
    this.addSql(`grant select, insert, update (details) on activity to br_app;`);
    this.addSql(`grant select, insert, update on idempotency_key, agent_profile to br_app;`);
    this.addSql(`grant select on catalog_revision, mikro_orm_migrations to br_app;`);
    this.addSql(`grant select, insert on catalog_revision to br_dispatch;`);
    this.addSql(`grant select, delete on idempotency_key to br_dispatch;`);
    this.addSql(
      `grant select, update (config, instructions_uri, catalog_revision, updated_at) on agent_profile to br_dispatch;`,
    );

    // A token is looked up before anyone knows whose it is, so outside row-level security, by its hash alone.
    // Writes the time of use at most once a minute.
    this.addSql(`create function authenticate_owner_token(hash bytea)
      returns table (id uuid, subject text, name text, expires_at timestamptz, expires_in_ms double precision)
      language sql volatile security definer set search_path = public, pg_temp as $$
        update owner_token t set last_used_at = clock_timestamp()
        where t.token_hash = hash and (t.expires_at is null or t.expires_at > clock_timestamp())
          and (t.last_used_at is null or t.last_used_at < clock_timestamp() - interval '1 minute');
        select t.id, t.subject, t.name, t.expires_at, extract(epoch from t.expires_at - clock_timestamp())::double precision * 1000
        from owner_token t
        where t.token_hash = hash and (t.expires_at is null or t.expires_at > clock_timestamp());
      $$;`);
    this.addSql(`revoke all on function authenticate_owner_token(bytea) from public;`);
    this.addSql(`grant execute on function authenticate_owner_token(bytea) to br_app;`);

    // This month and the three after it; from then on a job keeps ahead.
    this.addSql(`do $$
      begin
        for ahead in 0..3 loop
          execute format('create table %I partition of activity for values from (%L) to (%L)',
            'activity_' || to_char(date_trunc('month', now() at time zone 'utc') + ahead * interval '1 month', 'YYYY_MM'),
            to_char(date_trunc('month', now() at time zone 'utc') + ahead * interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'),
            to_char(date_trunc('month', now() at time zone 'utc') + (ahead + 1) * interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'));
        end loop;
      end $$;`);
  }
}
