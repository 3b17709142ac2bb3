import { Migration } from '@mikro-orm/migrations';

const INDEXES: Readonly<Record<string, string>> = {
  run_in_order: `run (organization_id, created_at, id) where created_at < 'infinity'`,
  run_of_request: 'run (organization_id, run_request_id)',
  durability_row_standing: 'durability_row (organization_id, namespace, key) where deleted_at is null',
  durability_row_deleted: 'durability_row (deleted_at) where deleted_at is not null',
};

/**
 * What retention goes by: runs of a request, and durability keys that remember their version. Made while the service works
 * on, so outside a transaction: each begins with the removal of what an attempt that was cut off left behind.
 */
export class Migration20261128230500Retention extends Migration {
  override name = 'Migration20261128230500Retention';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`alter table "durability_row" add column if not exists "deleted_at" timestamptz(6) null;`);
    for (const [name, columns] of Object.entries(INDEXES)) {
      this.addSql(`drop index concurrently if exists "${name}";`);
      this.addSql(`create index concurrently "${name}" on ${columns};`);
    }
    // Takes the place of the one that the planner also took for rows of a status.
    this.addSql(`drop index concurrently if exists "run_by_time";`);
    this.addSql(`alter index "run_in_order" rename to "run_by_time";`);
  }
}
