import { Migration } from '@mikro-orm/migrations';

/** A queue for each profile in the index of ready requests, so that claims need not walk through the backlog of one to get at another. */
export class Migration20261128074500QueuesByProfile extends Migration {
  override name = 'Migration20261128074500QueuesByProfile';

  override up(): void {
    this.addSql(`drop index "run_request_ready";`);
    this.addSql(
      `create index run_request_queues on run_request (organization_id, agent_profile_id, priority desc, execution_class desc, available_at, id) where status = 'queued' and ready;`,
    );
  }
}
