import { Migration } from '@mikro-orm/migrations';

/** The icons of organizations, as they were last found on their websites. */
export class Migration20261129214600OrganizationIcon extends Migration {
  override name = 'Migration20261129214600OrganizationIcon';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "organization_icon" ("organization_id" uuid not null, "website" text not null, "status" text not null default 'none', "media_type" text null, "bytes" bytea null, "sha256" text null, "expires_at" timestamptz(6) null, "failures" int not null default 0, "lookup_until" timestamptz(6) null, primary key ("organization_id"));`,
    );

    this.addSql(
      `alter table "organization_icon" add constraint "organization_icon_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "organization_icon" add constraint "organization_icon_found_check" check ((status = 'found') = (bytes is not null and media_type is not null and sha256 is not null));`,
    );
    this.addSql(
      `alter table "organization_icon" add constraint "organization_icon_status_check" check ("status" in ('none', 'found'));`,
    );
    this.addSql(`alter table "organization_icon" enable row level security;`);
    this.addSql(`alter table "organization_icon" force row level security;`);
    this.addSql(`create policy "owner_all" on "organization_icon" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "organization_icon" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`grant select, insert, update on organization_icon to br_app;`);
  }
}
