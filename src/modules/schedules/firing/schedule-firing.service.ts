import { Injectable } from '@nestjs/common';
import { type Statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { type Actor, dispatchStopsSince } from '../../organizations/index.ts';
import { TaskCreationService } from '../../tasks/index.ts';
import { missedReason, slotsPassed } from './missed-slots.ts';
import {
  type DueSchedule,
  insertOccurrences,
  type NewOccurrence,
  noteCreated,
  noteError,
  noteOverlap,
  PROFILE_DISABLED,
  putSlotBack,
  type Standing,
  standingOf,
  takeSlot,
} from './schedule-firing.queries.ts';
import { ScheduleErrors } from '../schedule.errors.ts';
import { toTaskBody } from '../task-template.ts';

const SCHEDULER: Actor = { kind: 'system', name: 'schedules' };

function noteDisabled({ organizationId, id }: Pick<DueSchedule, 'organizationId' | 'id'>): Statement {
  return noteError(organizationId, id, PROFILE_DISABLED, 'An agent profile of the schedule is disabled or gone.');
}

/** Makes tasks of slots, each exactly once, however many replicas try. */
@Injectable()
export class ScheduleFiringService {
  constructor(
    private readonly transactions: Transactions,
    private readonly creation: TaskCreationService,
  ) {}

  /**
   * Fires a slot that the finder proposed, in one transaction of the organization. After downtime it is the one slot that
   * fires; those behind it are counted and passed over. What lies ahead was worked out before the lock is taken.
   */
  async fire(due: DueSchedule): Promise<void> {
    const { organizationId, id, slot } = due;
    const passed = await slotsPassed(due.trigger, slot, due.now);
    await this.transactions.through(activeAccess(organizationId, ScheduleErrors.notFound), async (tx) => {
      // Sent together, and still the second sees what is so behind the lock that the first takes.
      const [taken, [standing]] = await tx.batch([takeSlot(due, passed), standingOf(organizationId, id)]);
      if (taken.length === 0 || !standing) return;
      // What fires once waits for its profile, and the finder walks past it until that may work.
      if (due.trigger.kind === 'once' && !standing.profilesEnabled) {
        await tx.batch([putSlotBack(due), noteDisabled(due)]);
        return;
      }
      const { note, ...result } = await this.attempt(tx, due, standing);
      const occurrences: NewOccurrence[] = [{ plannedAt: slot, origin: 'timer', ...result }];
      if (passed.missedCount > 0) {
        const stops = await dispatchStopsSince(tx, slot);
        for (const plannedAt of passed.newestMissed)
          occurrences.push({ plannedAt, origin: 'timer', reason: missedReason(plannedAt, stops), taskId: null });
      }
      await tx.batch([note, insertOccurrences(organizationId, id, occurrences)]);
    });
  }

  /** Creates a task now, of a schedule that the caller has locked; answers the id of its occurrence. */
  async runNow(tx: Tx, id: string, actor: Actor): Promise<string> {
    const { organizationId } = tx;
    const [standing] = await tx.rows(standingOf(organizationId, id));
    const { dispatchStopped, previousLives, profilesEnabled, now } = standing!;
    if (dispatchStopped) throw new ApiError(ScheduleErrors.dispatchStopped);
    if (previousLives) throw new ApiError(ScheduleErrors.previousTaskLives);
    if (!profilesEnabled) throw new ApiError(ScheduleErrors.profileDisabled);
    const taskId = await this.createTask(tx, { organizationId, id, slot: now }, standing!, actor);
    const occurrence: NewOccurrence = { plannedAt: now, origin: 'run_now', reason: null, taskId };
    const [, [inserted]] = await tx.batch([
      noteCreated(organizationId, id, taskId),
      insertOccurrences(organizationId, id, [occurrence]),
    ]);
    return inserted!.id;
  }

  /** The task of a slot, or why there is none; and what the schedule is to remember of it. */
  private async attempt(
    tx: Tx,
    { organizationId, id, slot }: DueSchedule,
    standing: Standing,
  ): Promise<Pick<NewOccurrence, 'reason' | 'taskId'> & { readonly note: Statement }> {
    const { profilesEnabled, previousLives, taskTemplate } = standing;
    if (!profilesEnabled)
      return { reason: 'profile_disabled', taskId: null, note: noteDisabled({ organizationId, id }) };
    if (previousLives && !taskTemplate.allowOverlap)
      return { reason: 'overlap', taskId: null, note: noteOverlap(organizationId, id) };
    const taskId = await this.createTask(tx, { organizationId, id, slot }, standing, SCHEDULER);
    return { reason: null, taskId, note: noteCreated(organizationId, id, taskId) };
  }

  private async createTask(
    tx: Tx,
    { organizationId, id, slot }: Pick<DueSchedule, 'organizationId' | 'id' | 'slot'>,
    { taskTemplate, sourceChatId, sourceMessageId }: Standing,
    actor: Actor,
  ): Promise<string> {
    const body = toTaskBody(taskTemplate, `schedule:${id}:${slot}`);
    const task = await this.creation.create(tx, organizationId, body, { actor, sourceChatId, sourceMessageId });
    return task.id;
  }
}
