import { Migration } from '@mikro-orm/migrations';

/**
 * What lets sets of tasks be counted and swept without reading all that ever was, and what a department's switch remembers.
 * New rows get one time for both of their timestamps.
 */
export class Migration20261128223900SetsOfTasks extends Migration {
  override name = 'Migration20261128223900SetsOfTasks';

  override up(): void {
    this.addSql(`alter table "task" add "descendant_count" int null;`);
    this.addSql(
      `alter table "agent_profile" add "tasks_cancelled_at" timestamptz(6) null, add "disabled_by_department" boolean not null default false;`,
    );
    this.addSql(
      `create index agent_profile_orphans on agent_profile (organization_id, id) where deleted_at is not null and tasks_cancelled_at is null;`,
    );
    // Until now the switch disabled whatever a department had, and brought back all of it.
    this.addSql(
      `update agent_profile p set disabled_by_department = true from organization o
       where o.id = p.organization_id and p.status = 'disabled' and p.deleted_at is null and p.department is not null
         and not (p.department = any(o.enabled_departments));`,
    );
    for (const table of [
      'organization',
      'durability_row',
      'chat',
      'message',
      'agent_profile',
      'schedule',
      'task',
      'run_request',
      'run',
    ])
      this.addSql(
        `alter table "${table}" alter column "created_at" set default statement_timestamp(), alter column "updated_at" set default statement_timestamp();`,
      );
  }
}
