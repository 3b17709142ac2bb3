import { Migration } from '@mikro-orm/migrations';

/**
 * Organizations leave the line of claims while they cannot start anything, and each profile key has a line of its own. What
 * is ready already gets its places from the upkeep, as what an older release queues meanwhile does.
 */
export class Migration20261128223105LinesOfClaims extends Migration {
  override name = 'Migration20261128223105LinesOfClaims';

  override up(): void {
    this.addSql(`alter table "organization_dispatch" add "left_at" timestamptz(6) null;`);
    this.addSql(
      `create index organization_dispatch_left on organization_dispatch (left_at) where left_at is not null;`,
    );
    this.addSql(
      `create table "profile_dispatch" ("organization_id" uuid not null, "agent_profile_id" uuid not null, "profile_key" text not null, "next_ready_at" timestamptz(6) null, "last_served_at" timestamptz(6) not null default '-infinity', "left_at" timestamptz(6) null, constraint "profile_dispatch_pkey" primary key ("organization_id", "agent_profile_id"));`,
    );
    this.addSql(
      `create index profile_dispatch_order on profile_dispatch (profile_key, last_served_at, organization_id, agent_profile_id) where next_ready_at is not null;`,
    );
    this.addSql(
      `create index profile_dispatch_in_line on profile_dispatch (organization_id, agent_profile_id) where next_ready_at is not null;`,
    );
    this.addSql(`create index profile_dispatch_left on profile_dispatch (left_at) where left_at is not null;`);
    this.addSql(`alter table "profile_dispatch" enable row level security;`);
    this.addSql(`alter table "profile_dispatch" force row level security;`);
    this.addSql(`create policy "owner_all" on "profile_dispatch" to "br_owner" using (true) with check (true);`);
    this.addSql(
      `create policy "app_rows" on "profile_dispatch" to "br_app" using (organization_id = nullif(current_setting('app.org', true), '')::uuid) with check (organization_id = nullif(current_setting('app.org', true), '')::uuid);`,
    );
    this.addSql(`create policy "dispatch_rows" on "profile_dispatch" to "br_dispatch" using (true) with check (true);`);
    this.addSql(`grant select, insert, update on profile_dispatch to br_app, br_dispatch;`);
    this.addSql(`alter table profile_dispatch set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);`);
  }
}
