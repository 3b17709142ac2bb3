import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { Actor } from '../../organizations/index.ts';
import { ActionEndingService, type HeldAction, type ItemCloser } from '../action-ending.service.ts';
import { toActionDetail } from '../action-row.ts';
import type { ActionDetailDto } from '../action.dto.ts';
import { ActionErrors } from '../action.errors.ts';
import type { ActionReconciliation, ReconciledOutcome } from '../action.state.ts';
import { actionById } from '../actions.queries.ts';
import { ChatDecisionsService } from '../decision/chat-decisions.service.ts';
import type { ReconcileDto } from './reconciliation.dto.ts';
import { noteReconciliation, wasAmbiguous } from './reconciliation.queries.ts';

const MOVES = { succeeded: 'succeed', failed: 'fail', not_executed: 'notExecute' } as const satisfies Record<
  ReconciledOutcome,
  string
>;

/** Who found out, and whose doing it is. */
interface Finder extends Pick<ActionReconciliation, 'by' | 'channel' | 'messageId'> {
  readonly actor: Actor;
  /** Who closes the item: in a chat the person whose message it was, not the agent that called. */
  readonly closer: ItemCloser;
}

/** Lets a person say what became of an ambiguous action. The first word stands: a later answer of the provider is only noted. */
@Injectable()
export class ReconciliationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly chats: ChatDecisionsService,
    private readonly endings: ActionEndingService,
  ) {}

  byOwner(owner: OwnerPrincipal, organizationId: string, id: string, body: ReconcileDto): Promise<ActionDetailDto> {
    const by = { kind: 'owner', id: owner.subject, name: owner.name } as const;
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      // Also where its chat was deleted since: somebody still has to say what became of it.
      const held = await this.endings.lockSent(tx, id);
      const finder: Finder = { actor: owner, closer: owner, by, channel: 'owner', messageId: null };
      return this.reconcile(tx, id, held, body, () => Promise.resolve(finder));
    });
  }

  /** A turn of the chat profile speaks for the person whose message it answers. */
  byChat(execution: ExecutionPrincipal, id: string, body: ReconcileDto): Promise<ActionDetailDto> {
    const access = this.executions.access(execution, { enabledProfile: true, lane: 'ordinary' });
    return this.transactions.through(access, async (tx) => {
      const turn = this.chats.turnOf(tx, execution);
      const held = await this.endings.lock(tx, id, () => turn.hold());
      return this.reconcile(tx, id, held, body, async ({ action }) => {
        const command = { verb: 'reconcile', reference: action.reference, outcome: body.outcome } as const;
        const decider = await turn.deciderOf(action, command);
        return { ...decider, actor: execution, closer: { kind: 'human', id: null, name: decider.by.name } };
      });
    });
  }

  private async reconcile(
    tx: Tx,
    id: string,
    held: HeldAction | undefined,
    { outcome, note }: ReconcileDto,
    finderOf: (held: HeldAction) => Promise<Finder>,
  ): Promise<ActionDetailDto> {
    const { organizationId } = tx;
    if (!held) throw new ApiError(ActionErrors.notFound);
    const { status } = held.action;
    if (status === 'reconciliation_required') {
      const { actor, closer, by, channel, messageId } = await finderOf(held);
      await tx.rows(noteReconciliation(organizationId, id, { outcome, note, by, channel, messageId }));
      await this.endings.end(tx, held, {
        move: MOVES[outcome],
        actor,
        closer,
        reason: note,
        details: { channel },
        verb: 'action.reconciled',
      });
    } else if (status !== outcome || (await tx.rows(wasAmbiguous(organizationId, id))).length === 0)
      throw new ApiError(ActionErrors.stateConflict, { message: refusalOf(status) });
    const [row] = await tx.rows(actionById(organizationId, id));
    return toActionDetail(row!);
  }
}

function refusalOf(status: string): string {
  return `The action is ${status.replaceAll('_', ' ')}: only one of which nobody knows what became is reconciled.`;
}
