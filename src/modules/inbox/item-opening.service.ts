import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../kernel/auth/index.ts';
import type { Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid, issueAt } from '../../kernel/errors/index.ts';
import { Existing } from '../../kernel/http/index.ts';
import { hasEnded, lockTasks } from '../tasks/index.ts';
import type { InboxItemDto, OpenInboxItemDto } from './inbox-item.dto.ts';
import { InboxErrors } from './inbox-item.errors.ts';
import { detailsOf, OPEN_LIMITS } from './inbox-item.policy.ts';
import type { InboxPurpose } from './inbox-item.state.ts';
import { BACKEND, InboxItemsService } from './inbox-items.service.ts';
import { isItem, lockChat, lockItemOfKey, openItems, takeOpeningLock, whetherAhead } from './inbox-moves.queries.ts';

/** Opens items for runs and turns. */
@Injectable()
export class ItemOpeningService {
  constructor(
    private readonly executions: LiveExecutions,
    private readonly items: InboxItemsService,
  ) {}

  async open(
    tx: Tx,
    execution: ExecutionPrincipal,
    body: OpenInboxItemDto,
  ): Promise<InboxItemDto | Existing<InboxItemDto>> {
    const details = detailsOf(body);
    const bound = await this.lockBound(tx, execution, body);
    await this.executions.hold(tx, execution);
    const { dedupeKey = null, expiresAt = null } = body;
    const scope = bound.taskId ?? bound.chatId!;
    if (dedupeKey !== null) {
      const open = await this.openOfKey(tx, scope, dedupeKey);
      if (open !== undefined) return new Existing(await this.items.read(tx, open));
    }
    if (expiresAt !== null) await requireAhead(tx, expiresAt);
    await requireRoom(tx, execution, details.purpose);
    const isRun = execution.execution === 'task_run';
    const id = await this.items.open(
      tx,
      {
        ...details,
        kind: body.kind,
        title: body.title,
        body: body.body,
        openedBy: 'agent',
        openedByProfileKey: execution.profileKey,
        taskId: bound.taskId ?? null,
        chatId: bound.chatId ?? null,
        runId: isRun ? execution.executionId : null,
        turnId: isRun ? null : execution.executionId,
        actionId: null,
        dedupeScope: dedupeKey === null ? null : scope,
        dedupeKey,
        expiresAt,
      },
      execution,
    );
    return this.items.read(tx, id);
  }

  /**
   * Locks the task or chat, so that neither ends before the commit and what belongs to it is opened one after the other.
   * 409 for what the run or turn may not open, and for a task that has ended.
   */
  private async lockBound(
    tx: Tx,
    execution: ExecutionPrincipal,
    { kind, purpose }: OpenInboxItemDto,
  ): Promise<{ readonly taskId?: string; readonly chatId?: string }> {
    const bound = await this.executions.boundTo(tx, execution);
    if ('chatId' in bound) {
      if (kind !== 'notification') throw notPermitted('kind', 'must be a notification in a chat turn');
      const [chat] = await tx.rows(lockChat(tx.organizationId, bound.chatId));
      if (!chat) throw new ApiError(EdgeErrors.stateConflict, { message: 'The chat is deleted.' });
      return bound;
    }
    const task = (await lockTasks(tx, [bound.taskId])).get(bound.taskId)!;
    if (purpose === 'learning_input' && task.kind !== 'learning')
      throw notPermitted('purpose', 'is for runs of learning tasks');
    if (hasEnded(task.status)) throw new ApiError(InboxErrors.taskEnded);
    return bound;
  }

  /** The open item of a key; one past its time makes room. */
  private async openOfKey(tx: Tx, scope: string, dedupeKey: string): Promise<string | undefined> {
    const [item] = await tx.rows(lockItemOfKey(tx.organizationId, scope, dedupeKey));
    if (!item?.hasExpired) return item?.id;
    await this.items.close(tx, isItem(item.id), { move: 'expire', by: null, reason: null }, BACKEND);
    return undefined;
  }
}

function notPermitted(path: string, message: string): ApiError {
  return new ApiError(InboxErrors.notPermitted, { issues: [issueAt(path, EdgeIssues.notPermitted, message)] });
}

async function requireAhead(tx: Tx, expiresAt: string): Promise<void> {
  const [time] = await tx.rows(whetherAhead(expiresAt));
  if (!time!.isAhead) throw invalid('expiresAt', EdgeIssues.outOfRange, 'must be from 5 minutes to 90 days ahead');
}

async function requireRoom(tx: Tx, execution: ExecutionPrincipal, purpose: InboxPurpose | null): Promise<void> {
  const { organizationId } = tx;
  const [, [open]] = await tx.batch([
    takeOpeningLock(organizationId),
    openItems(organizationId, execution, OPEN_LIMITS),
  ]);
  if (open!.ofExecution >= OPEN_LIMITS.ofExecution || open!.ofAgents >= OPEN_LIMITS.ofAgents)
    throw new ApiError(InboxErrors.tooManyOpen);
  if (purpose === 'learning_input' && open!.learningInputs >= OPEN_LIMITS.learningInputs)
    throw new ApiError(InboxErrors.tooManyInputs);
}
