import { Migration } from '@mikro-orm/migrations';

/** When leases could last be renewed, so that an outage of the service is told from one of its workers. */
export class Migration20261128221500LeaseWatch extends Migration {
  override name = 'Migration20261128221500LeaseWatch';

  override up(): void {
    this.addSql(
      `create table "lease_watch" ("kind" text not null, "lease_seconds" int not null, "noted_at" timestamptz(6) not null default clock_timestamp(), "previous_at" timestamptz(6) not null default clock_timestamp(), primary key ("kind"));`,
    );
    this.addSql(`alter table "lease_watch" enable row level security;`);
    this.addSql(`alter table "lease_watch" force row level security;`);
    this.addSql(`create policy "owner_all" on "lease_watch" to "br_owner" using (true) with check (true);`);
    this.addSql(`create policy "app_reads" on "lease_watch" for select to "br_app" using (true);`);
    this.addSql(`create policy "dispatch_rows" on "lease_watch" to "br_dispatch" using (true) with check (true);`);
    // The newest heartbeat is the last thing that is known of a service that was stopped to be migrated.
    this.addSql(
      `insert into lease_watch (kind, lease_seconds, noted_at, previous_at)
       select k.kind, k.seconds, n.at, n.at
       from (values ('run', 60), ('turn', 60), ('claim', 30)) k(kind, seconds),
         (select coalesce(max(b.at), clock_timestamp()) as at from (
           select r.heartbeat_at as at from run r where r.status in ('starting', 'running')
           union all select m.heartbeat_at from message m where m.leased) b) n;`,
    );
    this.addSql(`grant select on lease_watch to br_app;`);
    this.addSql(`grant select, insert, update on lease_watch to br_dispatch;`);
    // A completion shows the size of what its run stored.
    this.addSql(`create policy "dispatch_rows" on "run_artifact" to "br_dispatch" using (true) with check (true);`);
    this.addSql(`grant select (organization_id, run_id, sha256, size_bytes) on run_artifact to br_dispatch;`);
  }
}
