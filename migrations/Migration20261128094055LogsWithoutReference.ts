import { Migration } from '@mikro-orm/migrations';

/** Entries of run logs reference nothing: whoever appends holds the run's row. */
export class Migration20261128094055LogsWithoutReference extends Migration {
  override name = 'Migration20261128094055LogsWithoutReference';

  override up(): void {
    this.addSql(`alter table "run_log" drop constraint "run_log_organization_id_foreign";`);
  }
}
