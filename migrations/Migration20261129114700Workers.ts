import { Migration } from '@mikro-orm/migrations';

/** Which workers claim work, for operators. */
export class Migration20261129114700Workers extends Migration {
  override name = 'Migration20261129114700Workers';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "worker" ("worker_id" text not null, "boot_id" uuid not null, "last_seen_at" timestamptz(6) not null default clock_timestamp(), "run_filters" jsonb null, "turn_filters" jsonb null, primary key ("worker_id"));`,
    );
    this.addSql(`alter table "worker" enable row level security;`);
    this.addSql(`alter table "worker" force row level security;`);
    this.addSql(`create policy "owner_all" on "worker" to "br_owner" using (true) with check (true);`);
    this.addSql(`create policy "dispatch_rows" on "worker" to "br_dispatch" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on worker to br_dispatch;`);
  }
}
