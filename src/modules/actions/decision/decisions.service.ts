import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, issueAt, type IssueRow } from '../../../kernel/errors/index.ts';
import { BackendItemsService } from '../../inbox/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import {
  ActionEndingService,
  ACTIONS_BACKEND,
  factChanged,
  type HeldAction,
  type ItemCloser,
} from '../action-ending.service.ts';
import { toActionDetail } from '../action-row.ts';
import { ActionSignalsService } from '../action-signals.service.ts';
import { ActionStandingService } from '../action-standing.service.ts';
import type { ActionDetailDto } from '../action.dto.ts';
import { ActionErrors, ActionIssues } from '../action.errors.ts';
import type { ActionDecision } from '../action.state.ts';
import { actionById } from '../actions.queries.ts';
import { ChatDecisionsService } from './chat-decisions.service.ts';
import { approveAction, noteDecision } from './decisions.queries.ts';
import type { DecisionDto } from './decision.dto.ts';
import { isRepeat, type Verdict } from './decision.policy.ts';

/** A decision on its way: what is decided, and whose it is. */
interface Decision {
  readonly verdict: Verdict;
  readonly body: DecisionDto;
  readonly actor: Actor;
  readonly decider: Omit<ActionDecision, 'kind' | 'at' | 'comment'>;
}

/** Decisions of people: one for each action, and none but on what it was bound to. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly chats: ChatDecisionsService,
    private readonly ending: ActionEndingService,
    private readonly standing: ActionStandingService,
    private readonly items: BackendItemsService,
    private readonly activity: ActivityLogService,
    private readonly signals: ActionSignalsService,
  ) {}

  async byOwner(
    owner: OwnerPrincipal,
    organizationId: string,
    id: string,
    verdict: Verdict,
    body: DecisionDto,
  ): Promise<ActionDetailDto> {
    const decided = await this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const held = await this.held(tx, id);
      const by = { kind: 'owner', id: owner.subject, name: owner.name } as const;
      return this.decide(tx, held, {
        verdict,
        body,
        actor: owner,
        decider: { by, channel: 'owner', messageId: null },
      });
    });
    return told(decided);
  }

  /** A turn of the chat profile decides for the person whose message it answers. */
  async byChat(
    execution: ExecutionPrincipal,
    id: string,
    verdict: Verdict,
    body: DecisionDto,
  ): Promise<ActionDetailDto> {
    const access = this.executions.access(execution, { enabledProfile: true, lane: 'ordinary' });
    const decided = await this.transactions.through(access, async (tx) => {
      const turn = this.chats.turnOf(tx, execution);
      const held = await this.held(tx, id, () => turn.hold());
      const command = { verb: verdict, reference: held.action.reference };
      const decider = await turn.deciderOf(held.action, command);
      return this.decide(tx, held, { verdict, body, actor: execution, decider });
    });
    return told(decided);
  }

  private async held(tx: Tx, id: string, between?: () => Promise<void>): Promise<HeldAction> {
    const held = await this.ending.lock(tx, id, between);
    if (!held) throw new ApiError(ActionErrors.notFound);
    return held;
  }

  private async decide(tx: Tx, held: HeldAction, decision: Decision): Promise<Decided> {
    const { action } = held;
    const { verdict, body } = decision;
    if (!isRepeat(action, verdict, body)) {
      const expired =
        verdict === 'approve' ? await this.approve(tx, held, decision) : await this.reject(tx, held, decision);
      if (expired) return { refusal: expired };
    }
    const [row] = await tx.rows(actionById(tx.organizationId, action.id));
    return { action: toActionDetail(row!) };
  }

  /** Approves, unless what the action was bound to has changed: then it expires, and the answer says why. */
  private async approve(tx: Tx, held: HeldAction, decision: Decision): Promise<ApiError | undefined> {
    const { organizationId } = tx;
    const { id, reference, title } = held.action;
    const { changed, unusable, unusableWord } = await this.standing.of(tx, held.action);
    if (changed !== null) {
      const error = factChanged(changed);
      await this.ending.end(tx, held, { move: 'expire', error, actor: ACTIONS_BACKEND });
      return refusal(ActionIssues.factChanged, error.message);
    }
    if (unusable !== null) throw refusal(unusableWord, unusable);
    await tx.batch([
      approveAction(organizationId, id),
      noteDecision(organizationId, id, recorded(decision)),
      ...this.activity.entry(tx, {
        actor: decision.actor,
        verb: 'action.approved',
        subject: { kind: 'action', id, label: `${reference} ${title}` },
        details: { reference, channel: decision.decider.channel },
      }),
    ]);
    await this.items.close(
      tx,
      { actionId: id, kind: 'approval' },
      { status: 'resolved', by: closerOf(decision), reason: decision.body.comment ?? null },
    );
    tx.afterCommit(() => this.signals.approved());
    return undefined;
  }

  private async reject(tx: Tx, held: HeldAction, decision: Decision): Promise<undefined> {
    await tx.rows(noteDecision(tx.organizationId, held.action.id, recorded(decision)));
    await this.ending.end(tx, held, {
      move: 'reject',
      actor: decision.actor,
      closer: closerOf(decision),
      reason: decision.body.comment ?? null,
      details: { channel: decision.decider.channel },
    });
  }
}

/** What a transaction decided; a refusal was committed with what it expired. */
type Decided = { readonly action: ActionDetailDto } | { readonly refusal: ApiError };

function told(decided: Decided): ActionDetailDto {
  if ('action' in decided) return decided.action;
  throw decided.refusal;
}

function refusal(word: IssueRow, message: string): ApiError {
  return new ApiError(ActionErrors.stateConflict, { message, issues: [issueAt('', word, message)] });
}

function recorded({ verdict, body, decider }: Decision): Omit<ActionDecision, 'at'> {
  return { kind: verdict, comment: body.comment ?? null, ...decider };
}

/** In a chat the person whose message it was, not the agent that called. */
function closerOf({ actor, decider: { by, channel } }: Decision): ItemCloser {
  return channel === 'chat' ? { kind: 'human', id: null, name: by!.name } : actor;
}
