import { canonicalDigest } from '../../kernel/crypto/index.ts';
import { type Statement, statement, type Tx } from '../../kernel/database/index.ts';
import { invalid } from '../../kernel/errors/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import type { Provenance } from './acting-profiles.service.ts';
import { type CreateScheduleDto, toTrigger, type UpdateScheduleDto } from './schedule-body.dto.ts';
import { type ActingProfile, departmentOf, keyFrom } from './schedule.policy.ts';
import { instantText, nextSlot, type Trigger } from './schedule-trigger.ts';
import type { LockedSchedule } from './schedules.queries.ts';
import { type TaskTemplate, toTemplate, withDetails } from './task-template.ts';

/** A schedule that is about to be. */
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

export function toNewSchedule(profile: ActingProfile, body: CreateScheduleDto): NewSchedule {
  const { name, task, allowOverlap } = body;
  const content = {
    agentProfileId: profile.id,
    key: body.key ?? keyFrom(name),
    name,
    trigger: toTrigger(body.trigger),
    taskTemplate: toTemplate({ ...task, ownerAgentProfileKey: task.ownerAgentProfileKey ?? profile.key }, allowOverlap),
    nextRunAt: body.nextRunAt === undefined ? null : instantText(body.nextRunAt),
  };
  return { ...content, digest: canonicalDigest(content) };
}

/** Inserts it unless another has its key; then no row. */
export function insertSchedule(
  organizationId: string,
  schedule: NewSchedule,
  nextRunAt: string,
  { origin, createdByAgentProfileId, sourceRunId, sourceChatId, sourceMessageId }: Provenance,
): Statement<{ id: string }> {
  return statement(
    `insert into schedule (organization_id, id, agent_profile_id, key, name, origin, created_by_agent_profile_id,
       source_run_id, source_chat_id, source_message_id, trigger, task_template, creation_digest, next_run_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12::jsonb, $13, $14)
     on conflict (organization_id, key) where deleted_at is null do nothing
     returning id`,
    organizationId,
    newId(),
    schedule.agentProfileId,
    schedule.key,
    schedule.name,
    origin,
    createdByAgentProfileId,
    sourceRunId,
    sourceChatId,
    sourceMessageId,
    JSON.stringify(schedule.trigger),
    JSON.stringify(schedule.taskTemplate),
    schedule.digest,
    nextRunAt,
  );
}

/** The schedule that has a key, and what it was made from. */
export function scheduleOfKey(organizationId: string, key: string): Statement<{ id: string; digest: string }> {
  return statement(
    `select s.id, s.creation_digest as digest from schedule s
     where s.organization_id = $1 and s.key = $2 and s.deleted_at is null`,
    organizationId,
    key,
  );
}

/** What an edit leaves behind. */
export interface Edited {
  readonly name: string;
  readonly trigger: Trigger;
  readonly taskTemplate: TaskTemplate;
  readonly nextRunAt: string | null;
}

/** An interval that becomes another one keeps its phase. */
export function edited(schedule: LockedSchedule, body: UpdateScheduleDto): Edited {
  const { now } = schedule;
  const { name, trigger, nextRunAt, task, allowOverlap } = body;
  const newTrigger = trigger ? toTrigger(trigger) : schedule.trigger;
  const keepsPhase = newTrigger.kind === 'interval' && schedule.trigger.kind === 'interval';
  const phase = (keepsPhase ? schedule.nextRunAt : null) ?? now;
  return {
    name: name ?? schedule.name,
    trigger: newTrigger,
    taskTemplate: withDetails(schedule.taskTemplate, task ?? {}, allowOverlap),
    nextRunAt:
      trigger || nextRunAt !== undefined
        ? firstSlot(newTrigger, nextRunAt === undefined ? null : instantText(nextRunAt), now, phase)
        : schedule.nextRunAt,
  };
}

/** The slot that a caller names, or the trigger's first; 400 for one that is not in the future. */
export function firstSlot(trigger: Trigger, named: string | null, now: string, phase: string = now): string {
  if (named !== null && named <= now) throw invalid('nextRunAt', 'not_in_future', 'must be in the future');
  const slot = named ?? nextSlot(trigger, now, phase);
  if (slot === null) throw invalid('trigger.at', 'not_in_future', 'must be in the future');
  return slot;
}

export function updateSchedule(organizationId: string, id: string, to: Edited): Statement {
  return statement(
    `update schedule set name = $3, trigger = $4::jsonb, task_template = $5::jsonb, next_run_at = $6,
       updated_at = clock_timestamp()
     where organization_id = $1 and id = $2`,
    organizationId,
    id,
    to.name,
    JSON.stringify(to.trigger),
    JSON.stringify(to.taskTemplate),
    to.nextRunAt,
  );
}

export function hideSchedule(organizationId: string, id: string): Statement {
  return statement(
    `update schedule set status = 'paused', deleted_at = clock_timestamp(), updated_at = clock_timestamp()
     where organization_id = $1 and id = $2`,
    organizationId,
    id,
  );
}

/** 400 unless the profile that is to do the tasks is there; a department knows none but its own. */
export async function checkTaskOwner(
  tx: Tx,
  organizationId: string,
  { ownerAgentProfileKey }: TaskTemplate,
  acting: ActingProfile | null,
): Promise<void> {
  const owners = await tx.rows(
    statement(
      `select from agent_profile p where p.organization_id = $1 and p.key = $2 and p.deleted_at is null
         and ($3::text is null or p.department = $3)`,
      organizationId,
      ownerAgentProfileKey,
      departmentOf(acting),
    ),
  );
  if (owners.length === 0)
    throw invalid('task.ownerAgentProfileKey', 'unknown_reference', 'names no agent profile of yours');
}
