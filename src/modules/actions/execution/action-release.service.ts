import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { hasEnded } from '../../tasks/index.ts';
import { argumentsDigest } from '../action-digest.ts';
import {
  ACTIONS_BACKEND,
  type ActionEnd,
  ActionEndingService,
  factChanged,
  type HeldAction,
} from '../action-ending.service.ts';
import { type ActionExecutor, ActionExecutors, type ActionToSend } from '../action-executors.port.ts';
import type { LockedAction } from '../action-row.ts';
import { ActionStandingService } from '../action-standing.service.ts';
import { ActionErrors } from '../action.errors.ts';
import type { ActionPolicy } from '../action.state.ts';
import { actionById } from '../actions.queries.ts';
import { ApprovalItemsService } from '../proposal/approval-items.service.ts';
import type { FoundAction } from '../action-sweep.ts';
import { toSend } from './action-to-send.ts';
import {
  askAgain,
  executorHolds,
  holdConnector,
  holdOrganization,
  holdProposer,
  releaseAction,
  takeAction,
} from './execution.queries.ts';

/** An action that is this executor's to send. */
export interface TakenAction {
  readonly action: ActionToSend;
  readonly executor: ActionExecutor;
  readonly token: string;
  /** Since when it may be sent, by this process's clock; null while it still has to be prepared. */
  readonly releasedAtMs: number | null;
}

/**
 * Lets actions go, or not. Taking and releasing each hold the organization, the connector, the profile, the task or chat and the action,
 * and look at everything that the action hangs on behind these locks: a change that was acknowledged before is seen, one
 * that comes later meets an action on its way.
 */
@Injectable()
export class ActionReleaseService {
  private readonly leaseSeconds: number;

  constructor(
    private readonly transactions: Transactions,
    private readonly executors: ActionExecutors,
    private readonly endings: ActionEndingService,
    private readonly standings: ActionStandingService,
    private readonly approvals: ApprovalItemsService,
    private readonly activity: ActivityLogService,
    private readonly clock: Clock,
    { actionLeaseSeconds }: Config,
  ) {
    this.leaseSeconds = actionLeaseSeconds;
  }

  /** Takes an approved action; releases it too where nothing has to be prepared. Undefined where it is not to be had. */
  take({ organizationId, id }: FoundAction, token: string): Promise<TakenAction | undefined> {
    return this.transactions.through(activeAccess(organizationId, ActionErrors.notFound, 'ordinary'), async (tx) => {
      const held = await this.permitted(tx, id, ({ action }) => Promise.resolve(action.status === 'approved'));
      if (!held) return undefined;
      const { executor, action } = held;
      const atOnce = executor.prepare === undefined;
      await tx.batch([
        takeAction(organizationId, id, { token, leaseSeconds: this.leaseSeconds, release: atOnce }),
        ...(atOnce ? this.sentEntry(tx, held.held.action) : []),
      ]);
      return { action, executor, token, releasedAtMs: atOnce ? this.clock.monotonicMs() : null };
    });
  }

  /** Says that a prepared action is on its way. Undefined for whoever has lost it, and where something changed. */
  release({ action: { organizationId, id }, token }: TakenAction): Promise<TakenAction | undefined> {
    return this.transactions.through(activeAccess(organizationId, ActionErrors.notFound, 'ordinary'), async (tx) => {
      const held = await this.permitted(tx, id, async () => {
        const holding = await tx.rows(executorHolds(organizationId, id, token));
        return holding.length > 0;
      });
      if (!held) return undefined;
      const { executor, action } = held;
      const [[released]] = await tx.batch([
        releaseAction(organizationId, id, token),
        ...this.sentEntry(tx, held.held.action),
      ]);
      if (!released) throw new Error(`The action ${id} was lost behind its lock.`);
      return { action, executor, token, releasedAtMs: this.clock.monotonicMs() };
    });
  }

  /**
   * Locks an action from the top and looks whether it may go. What may not ends here, or waits for a person again, in the
   * same transaction.
   */
  private async permitted(
    tx: Tx,
    id: string,
    isMine: (held: HeldAction) => Promise<boolean>,
  ): Promise<{ held: HeldAction; executor: ActionExecutor; action: ActionToSend } | undefined> {
    const { organizationId } = tx;
    const [[organization]] = await tx.batch([
      holdOrganization(organizationId),
      holdConnector(organizationId, id),
      holdProposer(organizationId, id),
    ]);
    const held = organization && (await this.endings.lock(tx, id));
    if (!held || !(await isMine(held))) return undefined;
    const { action } = held;
    const task = action.taskId === null ? undefined : held.tasks.get(action.taskId);
    if (task && hasEnded(task.status)) return this.end(tx, held, { move: 'cancel', error: TASK_ENDED });
    const sent = toSend(organizationId, action);
    if (argumentsDigest(sent) !== action.argumentsDigest)
      return this.end(tx, held, { move: 'notExecute', error: DIGEST_MISMATCH });
    const { changed, unusable, unusableWord, policy } = await this.standings.of(tx, action, { lock: true });
    if (changed !== null) return this.end(tx, held, { move: 'expire', error: factChanged(changed) });
    const executor = this.executors.of(action);
    if (unusable !== null || !executor)
      return this.end(tx, held, { move: 'expire', error: { code: unusableWord.code, message: unusable ?? '' } });
    if (!policy.approvalRequired || action.decision?.kind !== 'policy') return { held, executor, action: sent };
    return this.askAgain(tx, held, policy);
  }

  /** A rule that was tightened since wants a person's approval, which there was none of. */
  private async askAgain(tx: Tx, { action: { id } }: HeldAction, policy: ActionPolicy): Promise<undefined> {
    const { organizationId } = tx;
    const [, [asked]] = await tx.batch([askAgain(organizationId, id, policy), actionById(organizationId, id)]);
    await this.approvals.open(tx, asked!);
  }

  private async end(tx: Tx, held: HeldAction, end: Omit<ActionEnd, 'actor'>): Promise<undefined> {
    await this.endings.end(tx, held, { ...end, actor: ACTIONS_BACKEND });
    return undefined;
  }

  private sentEntry(tx: Tx, { id, reference, title }: LockedAction) {
    return this.activity.entry(tx, {
      actor: ACTIONS_BACKEND,
      verb: 'action.sent',
      subject: { kind: 'action', id, label: `${reference} ${title}` },
      details: { reference },
    });
  }
}

const TASK_ENDED = { code: 'task_ended', message: 'The task ended before the action was sent.' };
const DIGEST_MISMATCH = {
  code: 'digest_mismatch',
  message: 'What was about to be sent is not what was approved.',
};
