import { Migration } from '@mikro-orm/migrations';

/** Authorizations on their way, and what the service is called where it registered itself. */
export class Migration20261130001058OAuth extends Migration {
  override name = 'Migration20261130001058OAuth';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "oauth_state" ("state_hash" text not null, "organization_id" uuid not null, "integration_id" uuid not null, "subject" text not null, "subject_name" text not null, "callback" text not null, "redirect_uri" text not null, "protocol" text not null, "status" text not null default 'issued', "issuer" text not null, "credential_generation" int not null, "scopes" text[] not null, "resource" text null, "access_mode" text null, "enabled_tools" text[] null, "services" text[] null, "server" jsonb not null, "cookie_hash" text null, "own_hash" text null, "confirm_hash" text null, "expires_at" timestamptz(6) not null, "created_at" timestamptz(6) not null default clock_timestamp(), "key_id" text null, "wrapped_key" bytea null, "sealed" bytea null, primary key ("state_hash"));`,
    );
    this.addSql(`create index "oauth_state_of_integration" on "oauth_state" ("organization_id", "integration_id");`);
    this.addSql(`create index "oauth_state_expiry" on "oauth_state" ("expires_at");`);
    this.addSql(
      `create unique index "oauth_state_confirm" on "oauth_state" ("confirm_hash") where confirm_hash is not null;`,
    );

    this.addSql(
      `create table "oauth_client" ("organization_id" uuid not null, "id" uuid not null, "issuer" text not null, "redirect_uri" text not null, "client_id" text not null, "auth_method" text not null, "secret_expires_at" timestamptz(6) null, "rejected_at" timestamptz(6) null, "unanswered" int not null default 0, "created_at" timestamptz(6) not null default clock_timestamp(), "key_id" text not null, "wrapped_key" bytea not null, "sealed" bytea not null, primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `alter table "oauth_client" add constraint "oauth_client_of_issuer" unique ("organization_id", "issuer", "redirect_uri");`,
    );

    this.addSql(
      `alter table "oauth_state" add constraint "oauth_state_callback_check" check ("callback" in ('workspace', 'mcp'));`,
    );
    this.addSql(
      `alter table "oauth_state" add constraint "oauth_state_protocol_check" check ("protocol" in ('oauth2', 'oauth1'));`,
    );
    this.addSql(
      `alter table "oauth_state" add constraint "oauth_state_status_check" check ("status" in ('issued', 'taken', 'confirming', 'completed', 'failed', 'void'));`,
    );
    this.addSql(
      `alter table "oauth_state" add constraint "oauth_state_access_mode_check" check ("access_mode" in ('read_only', 'ask_before_write', 'autonomous'));`,
    );
    this.addSql(`alter table "oauth_state" enable row level security;`);
    this.addSql(`alter table "oauth_state" force row level security;`);
    this.addSql(`create policy "owner_all" on "oauth_state" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "oauth_state" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "oauth_state" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "oauth_client" add constraint "oauth_client_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "oauth_client" add constraint "oauth_client_auth_method_check" check ("auth_method" in ('none', 'client_secret_basic', 'client_secret_post'));`,
    );
    this.addSql(`alter table "oauth_client" enable row level security;`);
    this.addSql(`alter table "oauth_client" force row level security;`);
    this.addSql(`create policy "owner_all" on "oauth_client" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "oauth_client" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "oauth_client" to "br_dispatch" using (true) with check (true);`);

    // A callback names its state and no organization; a row that is not the caller's stays as it is.
    this.addSql(`create function take_oauth_state(hashes text[], via text, redirect text, own text, cookie text)
      returns setof oauth_state
      language sql volatile security definer set search_path = public, pg_temp as $$
        update oauth_state s set status = 'taken'
        where s.state_hash = any(hashes) and s.callback = via and s.redirect_uri = redirect and s.status = 'issued'
          and s.expires_at > clock_timestamp() and (s.cookie_hash is null or s.cookie_hash = cookie)
          and (s.own_hash is null or s.own_hash = own)
        returning s.*;
      $$;`);
    this.addSql(`revoke all on function take_oauth_state(text[], text, text, text, text) from public;`);
    this.addSql(`grant execute on function take_oauth_state(text[], text, text, text, text) to br_app;`);
    this.addSql(`create function confirm_oauth_state(hash text, via text, redirect text) returns setof oauth_state
      language sql volatile security definer set search_path = public, pg_temp as $$
        update oauth_state s set confirm_hash = null
        where s.confirm_hash = hash and s.callback = via and s.redirect_uri = redirect and s.status = 'confirming'
          and s.expires_at > clock_timestamp()
        returning s.*;
      $$;`);
    this.addSql(`revoke all on function confirm_oauth_state(text, text, text) from public;`);
    this.addSql(`grant execute on function confirm_oauth_state(text, text, text) to br_app;`);

    this.addSql(
      `grant select, insert, update (status, confirm_hash, expires_at, key_id, wrapped_key, sealed) on oauth_state to br_app;`,
    );
    this.addSql(`grant select, insert, delete, update (rejected_at, unanswered) on oauth_client to br_app;`);
    // Forgets what is over, and re-wraps secrets.
    this.addSql(
      `grant select (state_hash, expires_at, key_id, wrapped_key), delete, update (key_id, wrapped_key, sealed) on oauth_state to br_dispatch;`,
    );
    this.addSql(
      `grant select (organization_id, id, key_id, wrapped_key), update (key_id, wrapped_key) on oauth_client to br_dispatch;`,
    );
  }
}
