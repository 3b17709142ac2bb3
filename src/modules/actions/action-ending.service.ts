import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { lockChat } from '../chats/index.ts';
import { BackendItemsService } from '../inbox/index.ts';
import { ActivityLogService, type ActivityVerb, type Actor } from '../organizations/index.ts';
import { lockForEnd, type LockedTasks, TaskBlockersService } from '../tasks/index.ts';
import type { LockedAction } from './action-row.ts';
import { type ActionError, type ActionMove, actionMoves, type EndedActionStatus } from './action.state.ts';
import { endActions, heldAction, holdAction, originOfAction } from './actions.queries.ts';

/** An action that this transaction holds, with what its end may move: its task, and the tasks around that. */
export interface HeldAction {
  readonly action: LockedAction;
  /** None of an action of a chat. */
  readonly tasks: LockedTasks;
}

export interface ActionEnd {
  readonly move: Extract<ActionMove, 'reject' | 'succeed' | 'fail' | 'notExecute' | 'expire' | 'cancel'>;
  readonly result?: object | null;
  readonly error?: ActionError | null;
  /** Whose doing it is. */
  readonly actor: Actor;
  /** Who closes its inbox item, where that is not the actor. */
  readonly closer?: ItemCloser;
  /** Why its inbox item closes; the message of the error by default. */
  readonly reason?: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What the activity log calls it; the status by default. */
  readonly verb?: Extract<ActivityVerb, 'action.reconciled'>;
}

/** An actor, or the author of the message that a turn answers. */
export type ItemCloser = NonNullable<Parameters<BackendItemsService['close']>[2]['by']>;

export const ACTIONS_BACKEND: Actor = { kind: 'system', name: 'actions' };

/** How the item that asked for approval closes with its action. */
const ITEM_CLOSURES = { reject: 'resolved', expire: 'expired', cancel: 'withdrawn' } as const;

/** The one place where actions end: status, inbox item, the blocker of the task, the activity log. */
@Injectable()
export class ActionEndingService {
  constructor(
    private readonly items: BackendItemsService,
    private readonly blockers: TaskBlockersService,
    private readonly activity: ActivityLogService,
  ) {}

  /**
   * Locks an action, behind its task with all that the end of that may move, or behind its chat. Undefined for an unknown
   * one, and for one of a chat that is deleted. What else is to be locked has its place `between` the two.
   */
  async lock(tx: Tx, id: string, between?: () => Promise<void>): Promise<HeldAction | undefined> {
    const { organizationId } = tx;
    const [origin] = await tx.rows(originOfAction(organizationId, id));
    if (!origin) return undefined;
    const tasks: LockedTasks = origin.taskId === null ? new Map() : await lockForEnd(tx, [origin.taskId]);
    if (origin.chatId !== null) {
      const [chat] = await tx.rows(lockChat(organizationId, origin.chatId));
      if (!chat) return undefined;
    }
    await between?.();
    const [, [action]] = await tx.batch([holdAction(organizationId, id), heldAction(organizationId, id)]);
    return action && { action, tasks };
  }

  /** The same for one that may have been sent, which ends as it ends even where its chat was deleted meanwhile. */
  async lockSent(tx: Tx, id: string): Promise<HeldAction | undefined> {
    const { organizationId } = tx;
    const held = await this.lock(tx, id);
    if (held) return held;
    const [, [action]] = await tx.batch([holdAction(organizationId, id), heldAction(organizationId, id)]);
    return action && { action, tasks: new Map() };
  }

  /** Ends a held action, in a status that permits the move, and lets its task go on where nothing else blocks it. */
  async end(tx: Tx, { action, tasks }: HeldAction, end: ActionEnd): Promise<void> {
    await this.endAll(tx, [action], end);
    const { id, taskId } = action;
    if (taskId !== null) await this.blockers.remove(tx, tasks, taskId, { kind: 'action', actionId: id });
  }

  /** Ends locked actions whose tasks or chats end with them, so that nothing goes on. */
  async endAll(tx: Tx, actions: readonly LockedAction[], end: ActionEnd): Promise<void> {
    if (actions.length === 0) return;
    const { organizationId } = tx;
    const { move, result = null, error = null, actor } = end;
    const ids = actions.map(({ id }) => id);
    await tx.batch([
      endActions(organizationId, ids, move, { result, error }),
      ...actions.flatMap((action) => this.entryOf(tx, action, end)),
    ]);
    const closing = { by: end.closer ?? actor, reason: end.reason ?? error?.message ?? null };
    for (const { id, status, inboxItemId } of actions) {
      if (inboxItemId === null) continue;
      if (move === 'reject' || move === 'expire' || move === 'cancel')
        await this.items.close(tx, { actionId: id, kind: 'approval' }, { status: ITEM_CLOSURES[move], ...closing });
      else if (status === 'reconciliation_required')
        await this.items.close(tx, { actionId: id, kind: 'reconciliation' }, { status: 'resolved', ...closing });
    }
  }

  private entryOf(
    tx: Tx,
    { id, reference, title, status }: LockedAction,
    { move, error, actor, verb, details }: ActionEnd,
  ) {
    const to = actionMoves.next(move, status) as EndedActionStatus;
    return this.activity.entry(tx, {
      actor,
      verb: verb ?? `action.${to}`,
      subject: { kind: 'action', id, label: `${reference} ${title}` },
      details: {
        reference,
        ...(verb === undefined ? {} : { outcome: to }),
        ...(error ? { code: error.code } : {}),
        ...details,
      },
    });
  }
}

/** Of facts that no executor would call so for people. */
const CHANGED: Readonly<Record<string, string>> = {
  agent_profile: 'The agent profile was disabled or removed',
  connector: 'The connector was removed, or its kind is served no more,',
  definition: 'The definition of the tool has changed',
  grants: 'The grants of the connector have changed',
  settings: 'The settings of the connector have changed',
  tools: 'The tools of the connector have changed',
  credential: 'The credential of the connector has changed',
  accessMode: 'The access mode of the connector has changed',
};

/** The error of an action that expires because something changed that it was bound to. */
export function factChanged(fact: string): ActionError {
  return {
    code: 'fact_changed',
    message: `${CHANGED[fact] ?? `The ${fact.replaceAll('_', ' ')} has changed`} since the action was proposed; propose it anew.`,
    fact,
  };
}
