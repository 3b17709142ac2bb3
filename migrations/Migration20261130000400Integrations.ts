import { Migration } from '@mikro-orm/migrations';

/** What organizations are connected to. */
export class Migration20261130000400Integrations extends Migration {
  override name = 'Migration20261130000400Integrations';

  override up(): void {
    this.addSql(
      `create table "integration_preferences" ("organization_id" uuid not null, "revision" int not null default 1, "order" jsonb not null, "catalog_version" int not null, primary key ("organization_id"));`,
    );
    this.addSql(
      `create index integration_preferences_catalog on integration_preferences (catalog_version, organization_id);`,
    );

    this.addSql(
      `create table "integration" ("organization_id" uuid not null, "id" uuid not null, "key" text collate "C" not null, "kind" text not null, "origin" text not null, "entry_version" int null, "name" text not null, "description" text not null default '', "endpoint" text null, "purposes" text[] not null, "enabled" boolean not null default false, "access_mode" text not null, "selection" jsonb null, "review_required" text[] not null, "settings" jsonb null, "context" jsonb null, "health" jsonb null, "mcp" jsonb null, "required_scopes" text[] not null, "verified_for" text null, "verified_resources" jsonb null, "inventory_due_at" timestamptz(6) null, "inventory_failures" int not null default 0, "check_until" timestamptz(6) null, "context_revision" int not null default 1, "credential_generation" int not null default 0, "settings_revision" int not null default 0, "tools_revision" int not null default 0, "grants_revision" int not null default 0, "collection_generation" int not null default 0, "created_at" timestamptz(6) not null default statement_timestamp(), "updated_at" timestamptz(6) not null default statement_timestamp(), primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index integration_inventory_due on integration (inventory_due_at) where inventory_due_at is not null;`,
    );
    this.addSql(`alter table "integration" add constraint "integration_key" unique ("organization_id", "key");`);

    this.addSql(
      `create table "integration_inventory" ("organization_id" uuid not null, "integration_id" uuid not null, "tools" jsonb not null, "excluded" jsonb not null, "server" jsonb null, "listed_at" timestamptz(6) not null, primary key ("organization_id", "integration_id"));`,
    );

    this.addSql(
      `create table "integration_grant" ("organization_id" uuid not null, "integration_id" uuid not null, "agent_profile_id" uuid not null, "read_only" boolean not null, primary key ("organization_id", "integration_id", "agent_profile_id"));`,
    );
    this.addSql(`create index integration_grant_of_profile on integration_grant (organization_id, agent_profile_id);`);

    this.addSql(
      `create table "integration_credential" ("organization_id" uuid not null, "integration_id" uuid not null, "purpose" text not null, "generation" int not null, "kind" text not null, "state" text not null, "identity" text null, "label" text null, "details" jsonb not null, "scopes" text[] not null, "issuer" text null, "resource" text null, "token_version" int not null default 1, "access_expires_at" timestamptz(6) null, "refreshed_at" timestamptz(6) null, "refresh_claim" uuid null, "refresh_claim_until" timestamptz(6) null, "refresh_failures" int not null default 0, "next_refresh_at" timestamptz(6) null, "connected_at" timestamptz(6) not null, "key_id" text not null, "wrapped_key" bytea not null, "sealed" bytea not null, primary key ("organization_id", "integration_id", "purpose", "generation"));`,
    );
    this.addSql(
      `create index integration_credential_refreshed on integration_credential (refreshed_at) where kind = 'oauth2' and state = 'connected';`,
    );
    this.addSql(
      `alter table "integration_credential" add constraint "integration_credential_one" unique ("organization_id", "integration_id", "purpose");`,
    );

    this.addSql(
      `alter table "integration_preferences" add constraint "integration_preferences_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "integration_preferences" enable row level security;`);
    this.addSql(`alter table "integration_preferences" force row level security;`);
    this.addSql(`create policy "owner_all" on "integration_preferences" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "integration_preferences" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "integration_preferences" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "integration" add constraint "integration_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "integration" add constraint "integration_origin_parts" check ((origin = 'owner') = (entry_version is null) and (origin = 'catalog' or endpoint is not null));`,
    );
    this.addSql(
      `alter table "integration" add constraint "integration_origin_check" check ("origin" in ('catalog', 'owner'));`,
    );
    this.addSql(
      `alter table "integration" add constraint "integration_access_mode_check" check ("access_mode" in ('read_only', 'ask_before_write', 'autonomous'));`,
    );
    this.addSql(`alter table "integration" enable row level security;`);
    this.addSql(`alter table "integration" force row level security;`);
    this.addSql(`create policy "owner_all" on "integration" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "integration" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "integration" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "integration_inventory" add constraint "integration_inventory_organization_id_integration_id_foreign" foreign key ("organization_id", "integration_id") references "integration" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "integration_inventory" enable row level security;`);
    this.addSql(`alter table "integration_inventory" force row level security;`);
    this.addSql(`create policy "owner_all" on "integration_inventory" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "integration_inventory" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "integration_grant" add constraint "integration_grant_organization_id_integration_id_foreign" foreign key ("organization_id", "integration_id") references "integration" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "integration_grant" enable row level security;`);
    this.addSql(`alter table "integration_grant" force row level security;`);
    this.addSql(`create policy "owner_all" on "integration_grant" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "integration_grant" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "integration_credential" add constraint "integration_credential_organization_id_integration_id_foreign" foreign key ("organization_id", "integration_id") references "integration" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "integration_credential" add constraint "integration_credential_purpose_check" check ("purpose" in ('primary', 'reporting'));`,
    );
    this.addSql(
      `alter table "integration_credential" add constraint "integration_credential_kind_check" check ("kind" in ('none', 'api_key', 'rest_token', 'srv', 'role', 'app_installation', 'token', 'rest_key', 'oauth2', 'oauth1'));`,
    );
    this.addSql(
      `alter table "integration_credential" add constraint "integration_credential_state_check" check ("state" in ('connected', 'reauthorization_required', 'unreadable'));`,
    );
    this.addSql(`alter table "integration_credential" enable row level security;`);
    this.addSql(`alter table "integration_credential" force row level security;`);
    this.addSql(`create policy "owner_all" on "integration_credential" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "integration_credential" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "integration_credential" to "br_dispatch" using (true) with check (true);`,
    );

    // Organizations from before get their connectors in the background.
    this.addSql(
      `insert into integration_preferences (organization_id, "order", catalog_version) select id, '{}', 0 from organization where status = 'active';`,
    );

    // What each role may touch; row-level security above says which rows.
    this.addSql(
      `grant select, insert, update, delete on integration, integration_inventory, integration_credential, integration_grant to br_app;`,
    );
    this.addSql(`grant select, insert, update on integration_preferences to br_app;`);
    this.addSql(
      `grant select (organization_id, id, kind, origin, enabled, inventory_due_at, inventory_failures), update (inventory_due_at) on integration to br_dispatch;`,
    );
    this.addSql(
      `grant select (organization_id, integration_id, purpose, generation, kind, state, token_version, refreshed_at, next_refresh_at, key_id, wrapped_key), update (key_id, wrapped_key) on integration_credential to br_dispatch;`,
    );
    this.addSql(`grant select (organization_id, catalog_version) on integration_preferences to br_dispatch;`);
  }
}
