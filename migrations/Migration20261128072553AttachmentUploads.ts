import { Migration } from '@mikro-orm/migrations';

/** Uploads at work, so that what a process leaves that dies over one is found. */
export class Migration20261128072553AttachmentUploads extends Migration {
  override name = 'Migration20261128072553AttachmentUploads';

  override up(): void {
    this.addSql(
      `create table "attachment_upload" ("organization_id" uuid not null, "id" uuid not null, "chat_id" uuid not null, "abandoned" boolean not null default false, "begun_at" timestamptz(6) not null default clock_timestamp(), primary key ("organization_id", "id"));`,
    );

    this.addSql(
      `alter table "attachment_upload" add constraint "attachment_upload_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "attachment_upload" add constraint "attachment_upload_organization_id_chat_id_foreign" foreign key ("organization_id", "chat_id") references "chat" ("organization_id", "id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "attachment_upload" enable row level security;`);
    this.addSql(`alter table "attachment_upload" force row level security;`);
    this.addSql(`create policy "owner_all" on "attachment_upload" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "attachment_upload" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "attachment_upload" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(`grant select, insert, delete, update (abandoned) on attachment_upload to br_app;`);
    // The sweep finds those that nobody carries on with; each is then discarded inside its organization.
    this.addSql(`grant select (organization_id, id, chat_id, begun_at) on attachment_upload to br_dispatch;`);
  }
}
