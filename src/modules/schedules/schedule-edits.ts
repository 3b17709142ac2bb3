import { canonicalDigest } from '../../kernel/crypto/index.ts';
import type { Tx } from '../../kernel/database/index.ts';
import { EdgeIssues, invalid } from '../../kernel/errors/index.ts';
import { type CreateScheduleDto, toTrigger, type UpdateScheduleDto } from './schedule-body.dto.ts';
import type { Edited, NewSchedule } from './schedule-edits.queries.ts';
import { profileOfKey } from './schedule-profiles.queries.ts';
import { type ActingProfile, departmentOf, keyFrom } from './schedule.policy.ts';
import { instantText, nextSlot, type Trigger } from './schedule-trigger.ts';
import type { LockedSchedule } from './schedules.queries.ts';
import { type TaskTemplate, toTemplate, withDetails } from './task-template.ts';

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

/** The slot that a caller names, or the trigger's first; throws 400 for one that is not in the future. */
export function firstSlot(trigger: Trigger, named: string | null, now: string, phase: string = now): string {
  if (named !== null && named <= now) throw invalid('nextRunAt', EdgeIssues.notInFuture);
  const slot = named ?? nextSlot(trigger, now, phase);
  if (slot === null) throw invalid('trigger.at', EdgeIssues.notInFuture);
  return slot;
}

/** Throws 400 unless the profile that is to do the tasks exists; a department knows only its own profiles. */
export async function checkTaskOwner(
  tx: Tx,
  { ownerAgentProfileKey }: TaskTemplate,
  acting: ActingProfile | null,
): Promise<void> {
  const owners = await tx.rows(profileOfKey(tx.organizationId, ownerAgentProfileKey, departmentOf(acting)));
  if (owners.length === 0)
    throw invalid('task.ownerAgentProfileKey', EdgeIssues.unknownReference, 'names no agent profile of yours');
}
