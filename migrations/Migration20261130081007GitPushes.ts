import { Migration } from '@mikro-orm/migrations';

/** Verified pushes whose bytes are kept, and the bytes on their way to them. */
export class Migration20261130081007GitPushes extends Migration {
  override name = 'Migration20261130081007GitPushes';

  override up(): void {
    this.addSql(
      `create table "git_push_upload" ("organization_id" uuid not null, "id" uuid not null, "abandoned" boolean not null default false, "begun_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );

    this.addSql(
      `create table "git_push" ("organization_id" uuid not null, "action_id" uuid not null, "integration_id" uuid not null, "repository" text not null, "ref" text not null, "old_oid" text not null, "new_oid" text not null, "shallow" text[] not null, "pack_sha256" text not null, "pack_bytes" int not null, primary key ("organization_id", "action_id"));`,
    );

    this.addSql(
      `alter table "git_push_upload" add constraint "git_push_upload_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "git_push_upload" enable row level security;`);
    this.addSql(`alter table "git_push_upload" force row level security;`);
    this.addSql(`create policy "owner_all" on "git_push_upload" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "git_push_upload" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "git_push_upload" to "br_dispatch" using (true) with check (true);`);

    this.addSql(
      `alter table "git_push" add constraint "git_push_organization_id_action_id_foreign" foreign key ("organization_id", "action_id") references "action" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "git_push" enable row level security;`);
    this.addSql(`alter table "git_push" force row level security;`);
    this.addSql(`create policy "owner_all" on "git_push" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "git_push" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "git_push" to "br_dispatch" using (true) with check (true);`);

    this.addSql(`grant select, insert, delete on git_push to br_app;`);
    this.addSql(`grant select, insert, delete, update (abandoned) on git_push_upload to br_app;`);
    // Jobs find bytes that are kept no longer, and those that nobody carries on with; each is removed inside its organization.
    this.addSql(`grant select (organization_id, action_id) on git_push to br_dispatch;`);
    this.addSql(`grant select (finished_at) on action to br_dispatch;`);
    this.addSql(`grant select (organization_id, id, begun_at) on git_push_upload to br_dispatch;`);
  }
}
