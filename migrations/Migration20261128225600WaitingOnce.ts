import { Migration } from '@mikro-orm/migrations';

/** Lets the finder of due schedules see that one that fires once waits for a profile, so that it walks past. */
export class Migration20261128225600WaitingOnce extends Migration {
  override name = 'Migration20261128225600WaitingOnce';

  override up(): void {
    this.addSql(`grant select (agent_profile_id, task_template, last_error) on schedule to br_dispatch;`);
  }
}
