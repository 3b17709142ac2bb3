import { Migration } from '@mikro-orm/migrations';

const INDEX = 'activity_by_transaction';
const COLUMNS = '("organization_id", "written_in")';

/**
 * Finds entries of the activity log by the transaction that wrote them. Made partition by partition while the service
 * works on, so outside a transaction; what an attempt that was cut off left behind is removed first.
 */
export class Migration20261129111900ActivityByTransaction extends Migration {
  override name = 'Migration20261129111900ActivityByTransaction';

  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    this.addSql(`create index if not exists "${INDEX}" on only "activity" ${COLUMNS};`);
    for (const partition of await this.partitionsWithout()) {
      const index = `${partition}_by_transaction`;
      this.addSql(`drop index concurrently if exists "${index}";`);
      this.addSql(`create index concurrently "${index}" on "${partition}" ${COLUMNS};`);
      this.addSql(`alter index "${INDEX}" attach partition "${index}";`);
    }
  }

  private async partitionsWithout(): Promise<string[]> {
    const rows = await this.execute(`
      select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'activity'::regclass
        and not exists (select from pg_index x join pg_inherits p on p.inhrelid = x.indexrelid
          join pg_class parent on parent.oid = p.inhparent and parent.relname = '${INDEX}'
          where x.indrelid = c.oid)
      order by 1`);
    return rows.map(({ name }) => String(name));
  }
}
