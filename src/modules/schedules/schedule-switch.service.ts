import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { ActivityLogService, type ActivityVerb, type Actor } from '../organizations/index.ts';
import { ScheduleErrors } from './schedule.errors.ts';
import { pauseSchedule, resumeSchedule } from './schedule-edits.queries.ts';
import { holdProfile } from './schedule-profiles.queries.ts';
import { nextSlot } from './schedule-trigger.ts';
import type { LockedSchedule } from './schedules.queries.ts';

/** Pauses and resumes schedules that the caller has locked; one that already is so stays as it is. */
@Injectable()
export class ScheduleSwitchService {
  constructor(private readonly activity: ActivityLogService) {}

  async pause(tx: Tx, schedule: LockedSchedule, actor: Actor): Promise<void> {
    if (schedule.status === 'paused') return;
    await tx.rows(pauseSchedule(schedule.organizationId, schedule.id));
    await this.record(tx, schedule, actor, 'schedule.paused');
  }

  /** A pause is no downtime: slots that it let pass are not made up for, except the one of a schedule that fires once. */
  async resume(tx: Tx, schedule: LockedSchedule, actor: Actor): Promise<void> {
    if (schedule.status === 'enabled') return;
    // Held, so that a deletion of the profile that is under way either is seen here, or pauses the schedule again.
    const profiles = await tx.rows(holdProfile(schedule.organizationId, schedule.agentProfileId));
    if (profiles.length === 0) throw new ApiError(ScheduleErrors.profileGone);
    await tx.rows(resumeSchedule(schedule.organizationId, schedule.id, firstAfterPause(schedule)));
    await this.record(tx, schedule, actor, 'schedule.resumed');
  }

  private record(tx: Tx, { id, name }: LockedSchedule, actor: Actor, verb: ActivityVerb): Promise<void> {
    return this.activity.record(tx, { actor, verb, subject: { kind: 'schedule', id, label: name } });
  }
}

function firstAfterPause({ trigger, nextRunAt, now }: LockedSchedule): string | null {
  // A schedule that fires once has either fired, or fires now that it may.
  if (trigger.kind === 'once' || (nextRunAt !== null && nextRunAt > now)) return nextRunAt;
  return nextSlot(trigger, now, nextRunAt ?? now);
}
