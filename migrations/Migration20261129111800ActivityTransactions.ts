import { Migration } from '@mikro-orm/migrations';

/**
 * Notes with each entry of the activity log the transaction that wrote it, from which positions in the log are made. The
 * numbers of a cluster's transactions stand behind the number of the cluster, so that a log that a dump brought into
 * another cluster goes on behind all that it has. Entries from before count as written by this migration.
 */
export class Migration20261129111800ActivityTransactions extends Migration {
  override name = 'Migration20261129111800ActivityTransactions';

  override up(): void {
    this.addSql(
      `create table "activity_cluster" ("system_identifier" text not null, "number" int not null, primary key ("system_identifier"));`,
    );
    this.addSql(`alter table "activity_cluster" enable row level security;`);
    this.addSql(`alter table "activity_cluster" force row level security;`);
    this.addSql(`create policy "owner_all" on "activity_cluster" to "br_owner" using (true) with check (true);`);
    this.addSql(`create policy "app_reads" on "activity_cluster" for select to "br_app" using (true);`);
    this.addSql(`create policy "dispatch_rows" on "activity_cluster" to "br_dispatch" using (true) with check (true);`);
    this.addSql(
      `insert into activity_cluster (system_identifier, number) select k.system_identifier::text, 1 from pg_control_system() k;`,
    );
    this.addSql(`grant select on activity_cluster to br_app, br_dispatch;`);
    // A new cluster replaces the first number; see the statements of the module's `events`.
    this.addSql(
      `create function activity_transaction() returns bigint language sql stable parallel safe
         return 17592186044416::bigint + pg_catalog.pg_current_xact_id()::text::bigint;`,
    );
    this.addSql(`alter table "activity" add column "written_in" bigint not null default activity_transaction();`);
    this.addSql(`grant select (organization_id, written_in) on activity to br_dispatch;`);
  }
}
