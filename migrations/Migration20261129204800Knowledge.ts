import { Migration } from '@mikro-orm/migrations';

/** What an organization knows. */
export class Migration20261129204800Knowledge extends Migration {
  override name = 'Migration20261129204800Knowledge';

  override up(): void {
    this.addSql(
      `create table "knowledge_passage" ("organization_id" uuid not null, "knowledge_id" uuid not null, "ordinal" int not null, "text" text null, "terms" tsvector not null, "live" boolean not null, "origin" text not null, "visibility" text not null, "department" text null, "required_connector_keys" text[] not null, "stamps" jsonb not null, "valid_until" timestamptz(6) null, primary key ("organization_id", "knowledge_id", "ordinal"));`,
    );
    this.addSql(
      `create index knowledge_passage_terms on knowledge_passage using gin (organization_id, terms) with (fastupdate = off);`,
    );

    this.addSql(
      `create table "knowledge" ("organization_id" uuid not null, "id" uuid not null, "key" text collate "C" not null, "title" text not null, "title_words" text not null, "finding" text not null, "applicability" text not null, "procedure" text[] not null, "visibility" text not null, "department" text null, "required_connector_keys" text[] not null, "source_versions" jsonb not null, "stamps" jsonb not null, "evidence" jsonb not null, "valid_until" timestamptz(6) null, "origin" text not null, "author_profile_key" text null, "execution_id" uuid null, "source_run_id" uuid null, "source_task_id" uuid null, "source_root_task_id" uuid null, "content_digest" text not null, "finding_digest" text not null, "supersedes" uuid null, "superseded_by" uuid null, "superseded_at" timestamptz(6) null, "revoked_at" timestamptz(6) null, "revoked_by" jsonb null, "revocation_reason" text null, "retained_at" timestamptz(6) not null, primary key ("organization_id", "id"));`,
    );
    this.addSql(
      `create index knowledge_standing on knowledge (organization_id, id) where superseded_by is null and revoked_at is null;`,
    );
    this.addSql(
      `create index knowledge_titles on knowledge using gin (organization_id, title_words gin_trgm_ops) where superseded_by is null and revoked_at is null;`,
    );
    this.addSql(
      `create index knowledge_of_execution on knowledge (organization_id, execution_id, key) where execution_id is not null;`,
    );
    this.addSql(
      `create index knowledge_revoked on knowledge (organization_id, finding_digest) where revoked_at is not null;`,
    );
    this.addSql(
      `create index knowledge_of_tree on knowledge (organization_id, source_root_task_id) where source_root_task_id is not null;`,
    );
    this.addSql(`create index knowledge_evidence on knowledge using gin (organization_id, evidence jsonb_path_ops);`);
    this.addSql(
      `create unique index "knowledge_head" on "knowledge" ("organization_id", "key") where superseded_by is null and revoked_at is null;`,
    );

    this.addSql(
      `alter table "knowledge_passage" add constraint "knowledge_passage_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "knowledge_passage" add constraint "knowledge_passage_origin_check" check ("origin" in ('execution', 'material'));`,
    );
    this.addSql(
      `alter table "knowledge_passage" add constraint "knowledge_passage_visibility_check" check ("visibility" in ('organization', 'department', 'restricted'));`,
    );
    this.addSql(
      `alter table "knowledge_passage" add constraint "knowledge_passage_department_check" check ("department" in ('growth', 'engineering', 'support'));`,
    );
    this.addSql(`alter table "knowledge_passage" enable row level security;`);
    this.addSql(`alter table "knowledge_passage" force row level security;`);
    this.addSql(`create policy "owner_all" on "knowledge_passage" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "knowledge_passage" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    this.addSql(
      `alter table "knowledge" add constraint "knowledge_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "knowledge" add constraint "knowledge_superseded" check ((superseded_by is null) = (superseded_at is null));`,
    );
    this.addSql(
      `alter table "knowledge" add constraint "knowledge_revocation" check ((revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revocation_reason is null));`,
    );
    this.addSql(
      `alter table "knowledge" add constraint "knowledge_of_department" check (visibility <> 'department' or department is not null);`,
    );
    this.addSql(
      `alter table "knowledge" add constraint "knowledge_visibility_check" check ("visibility" in ('organization', 'department', 'restricted'));`,
    );
    this.addSql(
      `alter table "knowledge" add constraint "knowledge_department_check" check ("department" in ('growth', 'engineering', 'support'));`,
    );
    this.addSql(
      `alter table "knowledge" add constraint "knowledge_origin_check" check ("origin" in ('execution', 'material'));`,
    );
    this.addSql(`alter table "knowledge" enable row level security;`);
    this.addSql(`alter table "knowledge" force row level security;`);
    this.addSql(`create policy "owner_all" on "knowledge" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "knowledge" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    // A passage whose record is superseded is rewritten in its page, past all indexes.
    this.addSql(`alter table knowledge_passage set (fillfactor = 85);`);

    // What each role may touch; row-level security above says which rows.
    this.addSql(
      `grant select, insert, update (superseded_by, superseded_at, revoked_at, revoked_by, revocation_reason) on knowledge to br_app;`,
    );
    this.addSql(`grant select, insert, delete, update (live) on knowledge_passage to br_app;`);
  }
}
