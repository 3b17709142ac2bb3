import { Migration } from '@mikro-orm/migrations';

/** A person's word on what became of an action, and the walk over those that may still change. */
export class Migration20261129181800ReconciledActions extends Migration {
  override name = 'Migration20261129181800ReconciledActions';

  override up(): void {
    this.addSql(`alter table "action" add "reconciliation" jsonb null;`);
    this.addSql(
      `create index action_pending on action (organization_id, id) where status in ('awaiting_approval', 'approved');`,
    );
    this.addSql(`grant update (reconciliation) on action to br_app;`);
    // What counts show, and how many a task has, which heartbeats tell.
    this.addSql(`grant select (awaits_since, updated_at) on action to br_dispatch;`);
  }
}
