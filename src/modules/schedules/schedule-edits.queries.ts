import { sql, type Statement } from '../../kernel/database/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import type { ScheduleOrigin } from './schedule.state.ts';
import type { Trigger } from './schedule-trigger.ts';
import type { TaskTemplate } from './task-template.ts';

/** A schedule that is about to be made. */
export interface NewSchedule {
  readonly agentProfileId: string;
  readonly key: string;
  readonly name: string;
  readonly trigger: Trigger;
  readonly taskTemplate: TaskTemplate;
  /** The first slot, where the creator names it. */
  readonly nextRunAt: string | null;
  /** Of all of this. */
  readonly digest: string;
}

/** Where a schedule comes from; set by the service. */
export interface Provenance {
  readonly origin: ScheduleOrigin;
  readonly createdByAgentProfileId: string | null;
  readonly sourceRunId: string | null;
  readonly sourceChatId: string | null;
  readonly sourceMessageId: string | null;
}

/** Inserts a schedule unless another has its key; answers no row then. */
export function insertSchedule(
  organizationId: string,
  { agentProfileId, key, name, trigger, taskTemplate, digest }: NewSchedule,
  nextRunAt: string,
  { origin, createdByAgentProfileId, sourceRunId, sourceChatId, sourceMessageId }: Provenance,
): Statement<{ id: string }> {
  return sql`
    insert into schedule (organization_id, id, agent_profile_id, key, name, origin, created_by_agent_profile_id,
      source_run_id, source_chat_id, source_message_id, trigger, task_template, creation_digest, next_run_at)
    values (${organizationId}, ${newId()}, ${agentProfileId}, ${key}, ${name}, ${origin}, ${createdByAgentProfileId},
      ${sourceRunId}, ${sourceChatId}, ${sourceMessageId}, ${JSON.stringify(trigger)}::jsonb,
      ${JSON.stringify(taskTemplate)}::jsonb, ${digest}, ${nextRunAt})
    on conflict (organization_id, key) where deleted_at is null do nothing
    returning id`;
}

/** What an edit leaves behind. */
export interface Edited {
  readonly name: string;
  readonly trigger: Trigger;
  readonly taskTemplate: TaskTemplate;
  readonly nextRunAt: string | null;
}

export function updateSchedule(
  organizationId: string,
  id: string,
  { name, trigger, taskTemplate, nextRunAt }: Edited,
): Statement {
  return sql`
    update schedule set name = ${name}, trigger = ${JSON.stringify(trigger)}::jsonb,
      task_template = ${JSON.stringify(taskTemplate)}::jsonb, next_run_at = ${nextRunAt}, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}`;
}

export function hideSchedule(organizationId: string, id: string): Statement {
  return sql`
    update schedule set status = 'paused', deleted_at = clock_timestamp(), updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}`;
}

export function pauseSchedule(organizationId: string, id: string): Statement {
  return sql`
    update schedule set status = 'paused', updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}`;
}

export function resumeSchedule(organizationId: string, id: string, nextRunAt: string | null): Statement {
  return sql`
    update schedule set status = 'enabled', next_run_at = ${nextRunAt}, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}`;
}

export function pauseSchedulesOf(organizationId: string, agentProfileId: string): Statement {
  return sql`
    update schedule set status = 'paused', updated_at = clock_timestamp()
    where organization_id = ${organizationId} and agent_profile_id = ${agentProfileId} and status = 'enabled'
      and deleted_at is null`;
}
