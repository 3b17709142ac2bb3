import { Migration } from '@mikro-orm/migrations';

/** The table's new name, and what its rows are of. */
const TABLES: Readonly<Record<string, { readonly as: string; readonly reference: string }>> = {
  organization_load: { as: 'organization_capacity', reference: 'organization_id' },
  profile_load: { as: 'profile_capacity', reference: 'organization_id_agent_profile_id' },
};

/**
 * Names the tables after what they hold: how much may run, and nothing of what does. Rights, policies and rows follow their
 * table. The release before goes on under the old names, which become views of the caller's own rights; both happen in one
 * transaction, so that no statement finds neither. A later release drops the views.
 */
export class Migration20261129012000Capacity extends Migration {
  override name = 'Migration20261129012000Capacity';

  override up(): void {
    for (const [table, { as, reference }] of Object.entries(TABLES)) {
      this.addSql(`alter table "${table}" rename to "${as}";`);
      this.addSql(`alter table "${as}" rename constraint "${table}_pkey" to "${as}_pkey";`);
      this.addSql(
        `alter table "${as}" rename constraint "${table}_${reference}_foreign" to "${as}_${reference}_foreign";`,
      );
      this.addSql(`create view "${table}" with (security_invoker = true) as select * from "${as}";`);
      this.addSql(`grant select, insert, update on "${table}" to br_app;`);
      this.addSql(`grant select, update (max_live_runs) on "${table}" to br_dispatch;`);
    }
  }
}
