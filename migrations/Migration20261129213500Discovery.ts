import { Migration } from '@mikro-orm/migrations';

/** What a new organization finds out about itself. */
export class Migration20261129213500Discovery extends Migration {
  override name = 'Migration20261129213500Discovery';

  override up(): void {
    this.addSql(
      `create table "discovery_intention" ("organization_id" uuid not null, "key" text not null, "kind" text not null, "status" text not null, "attempts" int not null default 0, "task_id" uuid null, "next_attempt_at" timestamptz(6) null, "settled" boolean not null default false, primary key ("organization_id", "key"));`,
    );
    this.addSql(
      `create index discovery_intention_due on discovery_intention (next_attempt_at) where next_attempt_at is not null;`,
    );
    this.addSql(
      `create index discovery_intention_at_work on discovery_intention (organization_id, task_id) where status = 'task_created';`,
    );

    this.addSql(
      `create table "discovery" ("organization_id" uuid not null, "integration_setup_completed_at" timestamptz(6) null, primary key ("organization_id"));`,
    );

    this.addSql(
      `create index task_open_discovery on task (organization_id, id) where kind = 'discovery' and status in ('pending', 'running', 'blocked');`,
    );

    this.addSql(
      `alter table "discovery_intention" add constraint "discovery_intention_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "discovery_intention" add constraint "discovery_intention_key_check" check ("key" in ('company_profile', 'market', 'customers', 'growth', 'engineering', 'support'));`,
    );
    this.addSql(
      `alter table "discovery_intention" add constraint "discovery_intention_kind_check" check ("kind" in ('research', 'department'));`,
    );
    this.addSql(
      `alter table "discovery_intention" add constraint "discovery_intention_status_check" check ("status" in ('waiting', 'pending', 'task_created', 'evidence_retained', 'failed'));`,
    );
    this.addSql(`alter table "discovery_intention" enable row level security;`);
    this.addSql(`alter table "discovery_intention" force row level security;`);
    this.addSql(`create policy "owner_all" on "discovery_intention" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "discovery_intention" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(
      `create policy "dispatch_rows" on "discovery_intention" to "br_dispatch" using (true) with check (true);`,
    );

    this.addSql(
      `alter table "discovery" add constraint "discovery_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update no action on delete no action;`,
    );
    this.addSql(`alter table "discovery" enable row level security;`);
    this.addSql(`alter table "discovery" force row level security;`);
    this.addSql(`create policy "owner_all" on "discovery" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "discovery" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );

    // What each role may touch; row-level security above says which rows. Locking a row takes UPDATE.
    this.addSql(`grant select, insert, update (integration_setup_completed_at) on discovery to br_app;`);
    this.addSql(
      `grant select, insert, update (status, settled, attempts, task_id, next_attempt_at) on discovery_intention to br_app;`,
    );
    this.addSql(
      `grant select (organization_id, key, status, task_id, next_attempt_at) on discovery_intention to br_dispatch;`,
    );
  }
}
