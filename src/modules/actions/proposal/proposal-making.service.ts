import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, type HeldExecution, LiveExecutions } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { escapeUnseen } from '../../../kernel/validation/index.ts';
import { lockChat } from '../../chats/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { hasEnded, type LockedTask, lockTasks, TaskErrors } from '../../tasks/index.ts';
import { canonicalArguments } from '../action-digest.ts';
import { ActionExecutors, type ActionTarget, type DescribedAction } from '../action-executors.port.ts';
import { newReference } from '../action-reference.ts';
import { toActionDetail } from '../action-row.ts';
import { ActionSignalsService } from '../action-signals.service.ts';
import type { ActionDetailDto } from '../action.dto.ts';
import { ActionErrors } from '../action.errors.ts';
import { effectiveRisk, policyOf } from '../action.policy.ts';
import { ACTION_LIMITS, type ActionDecision, type ActionKind } from '../action.state.ts';
import { actionById, grounds } from '../actions.queries.ts';
import { ACTIONS_BACKEND } from '../action-ending.service.ts';
import { ApprovalItemsService } from './approval-items.service.ts';
import { cutAndTold } from '../cut-to-bytes.ts';
import type { ProposeActionDto } from './proposal.dto.ts';
import { EXPIRY } from './proposal.policy.ts';
import {
  insertAction,
  type NewAction,
  noteReceipt,
  type ProposalPlace,
  proposalsOfTask,
  proposalsOfTurn,
  type ProposalTimes,
  proposalTimes,
} from './proposals.queries.ts';

/** Where an execution proposes, locked. */
export interface Place {
  readonly place: ProposalPlace;
  /** Of a run. */
  readonly task: LockedTask | undefined;
  readonly held: HeldExecution;
}

/** How often another reference is tried before something else must be wrong. */
const REFERENCE_TRIES = 5;

/** What is proposed, whichever way it came. */
export interface Proposed {
  readonly body: Omit<ProposeActionDto, 'kind'> & { readonly kind: ActionKind };
  readonly digest: string;
  readonly dedupeKey: string;
  /** By whoever had to know the id before. */
  readonly id?: string;
  readonly integrationId?: string;
  /** What a person is shown in place of the executor's words. */
  readonly preview?: string;
}

/** Makes actions of proposals: each is bound to what holds now, and waits for a person where a rule asks for one. */
@Injectable()
export class ProposalMakingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly executors: ActionExecutors,
    private readonly items: ApprovalItemsService,
    private readonly activity: ActivityLogService,
    private readonly signals: ActionSignalsService,
  ) {}

  /** Works in the task or chat of an execution, which neither ends before the commit nor proposes anything else. */
  inPlace<T>(execution: ExecutionPrincipal, work: (tx: Tx, at: Place) => Promise<T>): Promise<T> {
    const access = this.executions.access(execution, { enabledProfile: true, lane: 'ordinary' });
    return this.transactions.through(access, async (tx) => work(tx, await this.lockPlace(tx, execution)));
  }

  /** The action, with a receipt that the execution proposed it as things are now. */
  async received(tx: Tx, execution: ExecutionPrincipal, at: Place, id: string): Promise<ActionDetailDto> {
    const { organizationId } = tx;
    if (at.held.execution === 'task_run')
      await tx.rows(
        noteReceipt(organizationId, {
          actionId: id,
          runId: execution.executionId,
          taskVersion: at.task!.version,
        }),
      );
    const [row] = await tx.rows(actionById(organizationId, id));
    return toActionDetail(row!);
  }

  /** Locks the task or chat, and then the execution, whose end waits for this transaction. */
  private async lockPlace(tx: Tx, execution: ExecutionPrincipal): Promise<Place> {
    const bound = await this.executions.boundTo(tx, execution);
    if ('taskId' in bound) {
      const { taskId } = bound;
      const task = (await lockTasks(tx, [taskId])).get(taskId);
      if (!task || hasEnded(task.status)) throw new ApiError(TaskErrors.ended);
      return { place: { taskId, chatId: null }, task, held: await this.executions.hold(tx, execution) };
    }
    const { chatId } = bound;
    const [chat] = await tx.rows(lockChat(tx.organizationId, chatId));
    if (!chat) throw new ApiError(EdgeErrors.stateConflict, { message: 'The chat was deleted.' });
    return { place: { taskId: null, chatId }, task: undefined, held: await this.executions.hold(tx, execution) };
  }

  /** Proposes; throws where the place, the executor or a bound refuses. */
  async create(tx: Tx, execution: ExecutionPrincipal, at: Place, proposed: Proposed): Promise<NewAction> {
    const { body, digest, dedupeKey } = proposed;
    const { organizationId } = tx;
    await refuseBeyondBudget(tx, at);
    const target = targetOf(execution, proposed);
    const described = await this.described(tx, target, execution);
    const [ground] = await tx.rows(grounds(organizationId, execution.agentProfileId));
    const times = await timesOf(tx, body.expiresAt);
    const policy = policyOf({
      catalogRisk: described.risk,
      callerRisk: body.risk ?? null,
      connectorReasons: described.approvalReasons,
      approvalRequiredForRisk: ground!.approvalRequiredForRisk,
    });
    const action = await inserted(tx, {
      ...target,
      id: proposed.id ?? newId(),
      title: body.title,
      summary: body.summary,
      integrationId: described.integrationId,
      arguments: canonicalArguments(body.arguments),
      argumentsDigest: digest,
      preview: cutAndTold(escapeUnseen(proposed.preview ?? described.preview), ACTION_LIMITS.previewBytes),
      place: at.place,
      taskVersion: at.task?.version ?? null,
      runId: at.held.execution === 'task_run' ? execution.executionId : null,
      chatMessageId: at.held.execution === 'chat_turn' ? at.held.userMessageId : null,
      risk: effectiveRisk(described.risk, body.risk ?? null),
      policy,
      decision: policy.approvalRequired ? null : decisionOfPolicy(times),
      status: policy.approvalRequired ? 'awaiting_approval' : 'approved',
      authorizationEpoch: ground!.authorizationEpoch,
      facts: described.facts,
      dedupeKey,
      expiresAt: times.expiresAt,
      now: times.now,
    });
    await this.tell(tx, execution, action);
    return action;
  }

  /** Opens the item that asks for approval, or wakes those who send. */
  private async tell(tx: Tx, execution: ExecutionPrincipal, action: NewAction): Promise<void> {
    const { id, reference, kind, title, policy, place, runId } = action;
    const subject = { kind: 'action', id, label: `${reference} ${title}` };
    await this.activity.record(tx, {
      actor: execution,
      verb: 'action.proposed',
      subject,
      details: { reference, kind, approvalRequired: policy.approvalRequired },
    });
    if (policy.approvalRequired) return this.items.open(tx, { ...action, ...place, runId });
    await this.activity.record(tx, {
      actor: ACTIONS_BACKEND,
      verb: 'action.approved',
      subject,
      details: { reference, channel: 'policy' },
    });
    tx.afterCommit(() => this.signals.approved());
  }

  private described(tx: Tx, target: ActionTarget, execution: ExecutionPrincipal): Promise<DescribedAction> {
    const executor = this.executors.of(target);
    if (!executor) throw invalid('connectorKey', EdgeIssues.unknownReference);
    return executor.describe(tx, target, execution);
  }
}

function targetOf(
  { organizationId, agentProfileId }: ExecutionPrincipal,
  { body, integrationId }: Proposed,
): ActionTarget {
  const { kind, connectorKey, toolName, arguments: given } = body;
  return {
    organizationId,
    agentProfileId,
    kind,
    connectorKey,
    toolName,
    arguments: given,
    integrationId: integrationId ?? null,
  };
}

async function timesOf(tx: Tx, expiresAt: string | undefined): Promise<ProposalTimes> {
  const [times] = await tx.rows(proposalTimes(expiresAt ?? null, EXPIRY));
  if (times!.tooSoon || times!.tooLate)
    throw invalid('expiresAt', EdgeIssues.outOfRange, 'must be 5 minutes to 30 days ahead');
  return times!;
}

/** The lock of the task or chat lets no other proposal in between the count and the row. */
async function refuseBeyondBudget(tx: Tx, { place, task, held }: Place): Promise<void> {
  const { organizationId } = tx;
  const [made] = await tx.rows(
    held.execution === 'task_run'
      ? proposalsOfTask(organizationId, held.taskId)
      : proposalsOfTurn(organizationId, place.chatId!, held.userMessageId),
  );
  if (made!.count < (task?.maxActions ?? ACTION_LIMITS.perTurn)) return;
  throw new ApiError(ActionErrors.budgetExhausted);
}

/** References are short, so one may be taken; then another is tried. */
async function inserted(tx: Tx, action: Omit<NewAction, 'reference'>): Promise<NewAction> {
  for (let tries = 0; tries < REFERENCE_TRIES; tries += 1) {
    const referenced = { ...action, reference: newReference() };
    const [row] = await tx.rows(insertAction(tx.organizationId, referenced));
    if (row) return referenced;
  }
  throw new Error('Every reference that was tried is taken.');
}

function decisionOfPolicy({ now }: ProposalTimes): ActionDecision {
  return { kind: 'policy', by: null, at: now, comment: null, channel: 'policy', messageId: null };
}
