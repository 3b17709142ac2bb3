import { Injectable } from '@nestjs/common';
import { type Statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { type Actor, actorColumns, dispatchStopsSince, logEvent } from '../../organizations/index.ts';
import { TaskCreationService } from '../../tasks/index.ts';
import { missedReason, slotsPassed } from './missed-slots.ts';
import {
  type DueSchedule,
  insertOccurrences,
  type NewOccurrence,
  recordTask,
  recordError,
  recordOverlap,
  PROFILE_DISABLED,
  restoreSlot,
  type FiringFacts,
  firingFacts,
  claimSlot,
} from './schedule-firing.queries.ts';
import { ScheduleErrors } from '../schedule.errors.ts';
import { toTaskBody } from '../task-template.ts';

const SCHEDULER: Actor = { kind: 'system', name: 'schedules' };

/** Tells the log what became of a slot; the activity log has the task alone. */
function logSlot(
  verb: string,
  { organizationId, id, slot }: DueSchedule,
  facts: Readonly<Record<string, unknown>>,
): void {
  const actor = actorColumns(SCHEDULER);
  logEvent({ organizationId, verb, actor, subject: { kind: 'schedule', id }, facts: { slot, ...facts } });
}

function recordDisabled({ organizationId, id }: Pick<DueSchedule, 'organizationId' | 'id'>): Statement {
  return recordError(organizationId, id, PROFILE_DISABLED, 'An agent profile of the schedule is disabled or gone.');
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
      const [taken, [facts]] = await tx.batch([claimSlot(due, passed), firingFacts(organizationId, id)]);
      if (taken.length === 0 || !facts) return;
      // What fires once waits for its profile, and the finder walks past it until that may work.
      if (due.trigger.kind === 'once' && !facts.profilesEnabled) {
        await tx.batch([restoreSlot(due), recordDisabled(due)]);
        tx.afterCommit(() => logSlot('schedule.held_back', due, { reason: PROFILE_DISABLED }));
        return;
      }
      const { note, ...result } = await this.attempt(tx, due, facts);
      const occurrences: NewOccurrence[] = [{ plannedAt: slot, origin: 'timer', ...result }];
      if (passed.missedCount > 0) {
        const stops = await dispatchStopsSince(tx, slot);
        for (const plannedAt of passed.newestMissed)
          occurrences.push({ plannedAt, origin: 'timer', reason: missedReason(plannedAt, stops), taskId: null });
      }
      await tx.batch([note, insertOccurrences(organizationId, id, occurrences)]);
      const { reason, taskId } = result;
      const told = reason === null ? { taskId } : { reason };
      const missed = passed.missedCount > 0 ? { missedCount: passed.missedCount } : {};
      const verb = reason === null ? 'schedule.fired' : 'schedule.skipped';
      tx.afterCommit(() => logSlot(verb, due, { ...told, ...missed }));
    });
  }

  /** Creates a task now, of a schedule that the caller has locked; answers the id of its occurrence. */
  async runNow(tx: Tx, id: string, actor: Actor): Promise<string> {
    const { organizationId } = tx;
    const [facts] = await tx.rows(firingFacts(organizationId, id));
    const { dispatchStopped, previousLives, profilesEnabled, now } = facts!;
    if (dispatchStopped) throw new ApiError(ScheduleErrors.dispatchStopped);
    if (previousLives) throw new ApiError(ScheduleErrors.previousTaskLives);
    if (!profilesEnabled) throw new ApiError(ScheduleErrors.profileDisabled);
    const taskId = await this.createTask(tx, { id, slot: now }, facts!, actor);
    const occurrence: NewOccurrence = { plannedAt: now, origin: 'run_now', reason: null, taskId };
    const [, [inserted]] = await tx.batch([
      recordTask(organizationId, id, taskId),
      insertOccurrences(organizationId, id, [occurrence]),
    ]);
    return inserted!.id;
  }

  /** The task of a slot, or why there is none; and what the schedule is to remember of it. */
  private async attempt(
    tx: Tx,
    { organizationId, id, slot }: DueSchedule,
    facts: FiringFacts,
  ): Promise<Pick<NewOccurrence, 'reason' | 'taskId'> & { readonly note: Statement }> {
    const { profilesEnabled, previousLives, taskTemplate } = facts;
    if (!profilesEnabled)
      return { reason: 'profile_disabled', taskId: null, note: recordDisabled({ organizationId, id }) };
    if (previousLives && !taskTemplate.allowOverlap)
      return { reason: 'overlap', taskId: null, note: recordOverlap(organizationId, id) };
    const taskId = await this.createTask(tx, { id, slot }, facts, SCHEDULER);
    return { reason: null, taskId, note: recordTask(organizationId, id, taskId) };
  }

  private async createTask(
    tx: Tx,
    { id, slot }: Pick<DueSchedule, 'id' | 'slot'>,
    { taskTemplate, sourceChatId, sourceMessageId }: FiringFacts,
    actor: Actor,
  ): Promise<string> {
    const body = toTaskBody(taskTemplate, `schedule:${id}:${slot}`);
    const task = await this.creation.create(tx, body, { actor, sourceChatId, sourceMessageId });
    return task.id;
  }
}
