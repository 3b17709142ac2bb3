import { Injectable } from '@nestjs/common';
import { activeEntry, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { type Actor, dispatchStopsSince } from '../organizations/index.ts';
import { TaskCreation } from '../tasks/index.ts';
import { missedReason, slotsPassed } from './missed-slots.ts';
import {
  type DueSchedule,
  insertOccurrences,
  type NewOccurrence,
  noteCreated,
  noteError,
  noteOverlap,
  type Standing,
  standingOf,
  takeSlot,
} from './schedule-firing.queries.ts';
import { ScheduleErrors } from './schedules.errors.ts';
import { toTaskBody } from './task-template.ts';

const SCHEDULER: Actor = { kind: 'system', name: 'schedules' };

/** Makes tasks of slots, each exactly once, however many replicas try. */
@Injectable()
export class ScheduleFiring {
  constructor(
    private readonly transactions: Transactions,
    private readonly creation: TaskCreation,
  ) {}

  /**
   * Fires a slot that the finder proposed, in one transaction of the organization. After downtime it is the one slot that
   * fires; those behind it are counted and passed over. What lies ahead was worked out before the lock is taken.
   */
  async fire(due: DueSchedule): Promise<void> {
    const { organizationId, id, slot } = due;
    const passed = slotsPassed(due.trigger, slot, due.now);
    await this.transactions.through(activeEntry(organizationId, ScheduleErrors.notFound), async (tx) => {
      if ((await tx.rows(takeSlot(due, passed))).length === 0) return;
      const occurrences = [await this.take(tx, due)];
      if (passed.missedCount > 0) {
        const stops = await dispatchStopsSince(tx, organizationId, slot);
        for (const plannedAt of passed.newestMissed)
          occurrences.push({ plannedAt, origin: 'timer', reason: missedReason(plannedAt, stops), taskId: null });
      }
      await tx.rows(insertOccurrences(organizationId, id, occurrences));
    });
  }

  /** Creates a task now, of a schedule that the caller has locked; answers the id of its occurrence. */
  async runNow(tx: Tx, organizationId: string, id: string, actor: Actor): Promise<string> {
    const [standing] = await tx.rows(standingOf(organizationId, id));
    const { dispatchStopped, previousLives, profilesEnabled, now } = standing!;
    if (dispatchStopped) throw new ApiError(ScheduleErrors.dispatchStopped);
    if (previousLives) throw new ApiError(ScheduleErrors.previousTaskLives);
    if (!profilesEnabled) throw new ApiError(ScheduleErrors.profileDisabled);
    const taskId = await this.createTask(tx, organizationId, id, standing!, now, actor);
    const occurrence: NewOccurrence = { plannedAt: now, origin: 'run_now', reason: null, taskId };
    const [inserted] = await tx.rows(insertOccurrences(organizationId, id, [occurrence]));
    return inserted!.id;
  }

  private async take(tx: Tx, { organizationId, id, slot }: DueSchedule): Promise<NewOccurrence> {
    const [standing] = await tx.rows(standingOf(organizationId, id));
    const { profilesEnabled, previousLives, taskTemplate } = standing!;
    const occurrence = { plannedAt: slot, origin: 'timer' as const, taskId: null };
    if (!profilesEnabled) {
      await tx.rows(
        noteError(organizationId, id, 'profile_disabled', 'An agent profile of the schedule is disabled or gone.'),
      );
      return { ...occurrence, reason: 'profile_disabled' };
    }
    if (previousLives && !taskTemplate.allowOverlap) {
      await tx.rows(noteOverlap(organizationId, id));
      return { ...occurrence, reason: 'overlap' };
    }
    const taskId = await this.createTask(tx, organizationId, id, standing!, slot, SCHEDULER);
    return { ...occurrence, reason: null, taskId };
  }

  private async createTask(
    tx: Tx,
    organizationId: string,
    id: string,
    { taskTemplate, sourceChatId, sourceMessageId }: Standing,
    slot: string,
    actor: Actor,
  ): Promise<string> {
    const body = toTaskBody(taskTemplate, `schedule:${id}:${slot}`);
    const task = await this.creation.create(tx, organizationId, body, { actor, sourceChatId, sourceMessageId });
    await tx.rows(noteCreated(organizationId, id, task.id));
    return task.id;
  }
}
