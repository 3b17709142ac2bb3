import { Migration } from '@mikro-orm/migrations';

/** True of every row; statements that do not say it may not use these indexes. */
const ANY_TIME = `created_at > '-infinity'`;

const INDEXES: Readonly<Record<string, string>> = {
  task_by_status: `task (organization_id, status, created_at, id) where ${ANY_TIME}`,
  task_by_owner_status: 'task (organization_id, owner_agent_profile_id, status, created_at, id)',
  task_by_source_chat_id: 'task (organization_id, source_chat_id, created_at, id) where source_chat_id is not null',
  task_by_kind: `task (organization_id, kind, created_at, id) where kind <> 'task'`,
  task_by_phase: `task (organization_id, phase, created_at, id) where phase <> 'execute'`,
  task_by_priority: 'task (organization_id, priority, created_at, id) where priority <> 0',
  task_dependency_by_status: 'task_dependency (organization_id, status, task_id, depends_on_task_id)',
  run_request_by_status: `run_request (organization_id, status, created_at, id) where ${ANY_TIME}`,
  run_request_ended_of_profile: `run_request (organization_id, agent_profile_id, status, created_at, id) where status in ('completed', 'failed', 'cancelled', 'superseded')`,
  run_ended: `run (organization_id, status, created_at, id) where status in ('succeeded', 'failed', 'cancelled', 'expired') and ${ANY_TIME}`,
  run_ended_of_profile: `run (organization_id, agent_profile_id, status, created_at, id) where status in ('succeeded', 'failed', 'cancelled', 'expired')`,
  run_by_any_time: `run (organization_id, created_at, id) where ${ANY_TIME}`,
  chat_by_status: 'chat (organization_id, status, created_at, id) where deleted_at is null',
  message_ended_turns: `message (organization_id, chat_id, status, created_at, id) where role = 'assistant' and status in ('complete', 'failed', 'cancelled')`,
  schedule_by_status: 'schedule (organization_id, status, created_at, id) where deleted_at is null',
  schedule_occurrence_by_status: 'schedule_occurrence (organization_id, schedule_id, status, planned_at)',
};

/**
 * Indexes that lead lists to the rows that they filter for. Made while the service works on, so outside a transaction: each
 * begins with the removal of what an attempt that was cut off left behind.
 */
export class Migration20261128224500FilteredLists extends Migration {
  override name = 'Migration20261128224500FilteredLists';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, columns] of Object.entries(INDEXES)) {
      this.addSql(`drop index concurrently if exists "${name}";`);
      this.addSql(`create index concurrently "${name}" on ${columns};`);
    }
    // The one that leads by time alone is one that statements have to ask for, too.
    this.addSql(`drop index concurrently if exists "run_by_time";`);
    this.addSql(`alter index "run_by_any_time" rename to "run_by_time";`);
    // Its place is taken by `task_by_owner_status`.
    this.addSql(`drop index concurrently if exists "task_by_owner";`);
  }
}
