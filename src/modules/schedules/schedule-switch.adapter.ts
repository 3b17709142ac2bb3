import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { type ProfileFollower, ProfileRemoved } from '../agent-profiles/index.ts';
import { ActivityLogService, type Actor } from '../organizations/index.ts';
import { ScheduleErrors } from './schedule.errors.ts';
import { nextSlot } from './schedule-trigger.ts';
import type { LockedSchedule } from './schedules.queries.ts';

/** Pausing and resuming schedules that the caller has locked. What is so already stays as it is. */
@Injectable()
export class ScheduleSwitch implements ProfileFollower {
  constructor(
    private readonly activity: ActivityLogService,
    profiles: ProfileRemoved,
  ) {
    profiles.register(this);
  }

  async pause(tx: Tx, schedule: LockedSchedule, actor: Actor): Promise<void> {
    if (schedule.status === 'paused') return;
    await tx.rows(
      statement(
        `update schedule set status = 'paused', updated_at = clock_timestamp() where organization_id = $1 and id = $2`,
        schedule.organizationId,
        schedule.id,
      ),
    );
    await this.record(tx, schedule, actor, 'schedule.paused');
  }

  /** A pause is no downtime: what it let pass is not made up for, but for what fires once and has not. */
  async resume(tx: Tx, schedule: LockedSchedule, actor: Actor): Promise<void> {
    if (schedule.status === 'enabled') return;
    // Shared, so that a deletion under way pauses it again, or is seen here.
    const profiles = await tx.rows(
      statement(
        `select from agent_profile p where p.organization_id = $1 and p.id = $2 and p.deleted_at is null for share`,
        schedule.organizationId,
        schedule.agentProfileId,
      ),
    );
    if (profiles.length === 0) throw new ApiError(ScheduleErrors.profileGone);
    await tx.rows(
      statement(
        `update schedule set status = 'enabled', next_run_at = $3, updated_at = clock_timestamp()
         where organization_id = $1 and id = $2`,
        schedule.organizationId,
        schedule.id,
        firstAfterPause(schedule),
      ),
    );
    await this.record(tx, schedule, actor, 'schedule.resumed');
  }

  async profileRemoved(tx: Tx, organizationId: string, agentProfileId: string): Promise<void> {
    await tx.rows(
      statement(
        `update schedule set status = 'paused', updated_at = clock_timestamp()
         where organization_id = $1 and agent_profile_id = $2 and status = 'enabled' and deleted_at is null`,
        organizationId,
        agentProfileId,
      ),
    );
  }

  private record(tx: Tx, { organizationId, id, name }: LockedSchedule, actor: Actor, verb: string): Promise<void> {
    return this.activity.record(tx, { organizationId, actor, verb, subject: { kind: 'schedule', id, label: name } });
  }
}

function firstAfterPause({ trigger, nextRunAt, now }: LockedSchedule): string | null {
  // What fires once has either fired, or does so now that it may.
  if (trigger.kind === 'once' || (nextRunAt !== null && nextRunAt > now)) return nextRunAt;
  return nextSlot(trigger, now, nextRunAt ?? now);
}
