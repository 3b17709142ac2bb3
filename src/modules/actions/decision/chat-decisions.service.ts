import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { type ExecutionPrincipal, LiveExecutions } from '../../../kernel/auth/index.ts';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeIssues, issueAt, type IssueRow } from '../../../kernel/errors/index.ts';
import type { LockedAction } from '../action-row.ts';
import { ActionErrors, ActionIssues } from '../action.errors.ts';
import type { ActionDecider } from '../action.state.ts';
import { type ChatCommand, commandText, isCommanded } from './chat-command.ts';
import { decidingMessage } from './decisions.queries.ts';

/** Whose word a call of the chat agent is. */
export interface ChatDecider {
  readonly by: ActionDecider;
  readonly channel: 'chat';
  /** The person's message. */
  readonly messageId: string;
}

/** Lets the chat agent decide for a person: in the turn that answers the person's message, as the deployment permits. */
@Injectable()
export class ChatDecisionsService {
  constructor(
    private readonly executions: LiveExecutions,
    private readonly config: Config,
  ) {}

  /** The turn that calls, for a decision in this transaction. */
  turnOf(tx: Tx, execution: ExecutionPrincipal): DecidingTurn {
    return new DecidingTurn(tx, execution, this.executions, this.config.chatDecisions);
  }
}

class DecidingTurn {
  private messageId: string | undefined;

  constructor(
    private readonly tx: Tx,
    private readonly execution: ExecutionPrincipal,
    private readonly executions: LiveExecutions,
    private readonly mode: Config['chatDecisions'],
  ) {}

  /** Locks the turn, so that it cannot end before the commit; behind the task or chat of the action, before the action. */
  async hold(): Promise<void> {
    const held = await this.executions.hold(this.tx, this.execution);
    if (held.execution === 'chat_turn') this.messageId = held.userMessageId ?? undefined;
  }

  /**
   * Answers whose decision it is; throws 409 where it is not the person's: decisions in chats are off, the action awaits it
   * only since the message was stored (so nothing is proposed and approved within one turn), or the message does not hold
   * the command that the deployment wants.
   */
  async deciderOf(action: LockedAction, command: ChatCommand): Promise<ChatDecider> {
    if (this.mode === 'off') throw refused(ActionIssues.chatDecisionsOff);
    const { tx, messageId } = this;
    const [message] =
      messageId === undefined ? [] : await tx.rows(decidingMessage(tx.organizationId, messageId, action.id));
    if (messageId === undefined || !message?.isOlder) throw refused(EdgeIssues.newerThanMessage);
    if (this.mode === 'command' && !isCommanded(message.texts, command))
      throw refused(
        ActionIssues.notCommanded,
        `was not decided in the person’s own message; the person must type "${commandText(command)}" as a line of its own`,
      );
    const by = { kind: 'human', id: null, name: message.author.displayName } as const;
    return { by, channel: 'chat', messageId };
  }
}

function refused(row: IssueRow, message = row.message): ApiError {
  return new ApiError(ActionErrors.stateConflict, {
    message: 'This turn cannot decide the action; error.issues says why.',
    issues: [issueAt('id', row, message)],
  });
}
