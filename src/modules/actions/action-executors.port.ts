import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import type { Statement, Tx } from '../../kernel/database/index.ts';
import type { IssueRow } from '../../kernel/errors/index.ts';
import type { ByteAnswer } from '../../kernel/http/index.ts';
import type { ActionError, ActionFacts, ActionKind, ActionRisk, ConnectorReason } from './action.state.ts';

/** What is to be done where, as an execution proposes it. */
export interface ActionTarget {
  readonly organizationId: string;
  readonly kind: ActionKind;
  readonly connectorKey: string;
  readonly toolName: string;
  readonly integrationId: string | null;
  /** Parsed; the same at every step of one action. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly agentProfileId: string;
}

/** An action that was proposed. */
export interface StoredAction extends ActionTarget {
  readonly id: string;
  readonly reference: string;
}

/** An action on its way. */
export interface ActionToSend extends StoredAction {
  /** The canonical text whose digest was approved. */
  readonly argumentsText: string;
  readonly argumentsDigest: string;
  readonly taskId: string | null;
  readonly chatId: string | null;
  /** When it was released; null of one that is being prepared. */
  readonly sentAt: string | null;
}

/** How things stand now that an action hangs on. */
export interface ActionStanding {
  /** What the catalog says of the tool. */
  readonly risk: ActionRisk;
  /** Why the connector itself wants a person's approval. */
  readonly approvalReasons: readonly ConnectorReason[];
  /** What the action is bound to; one of another value, or one that is missing, expires it. */
  readonly facts: ActionFacts;
  /** Why it cannot be used at present, as a sentence; null when it can. Refuses approvals, and ends what was taken. */
  readonly unusable: string | null;
  /** The word for it, in refusals and in the error of what expires so; `unusable` unless said. */
  readonly unusableWord?: IssueRow;
}

export interface DescribedAction extends ActionStanding {
  readonly integrationId: string | null;
  /** What a person is shown before deciding, without secrets; at most 32 KiB. */
  readonly preview: string;
}

/** What `prepare` found, outside of any transaction. */
export type Prepared<Ready> =
  | { readonly kind: 'ready'; readonly prepared: Ready }
  /** It has been done already. */
  | { readonly kind: 'done'; readonly result: object | null }
  | { readonly kind: 'refused'; readonly error: ActionError }
  /** It fails for now: left to the lease, after which it is prepared anew. */
  | { readonly kind: 'later'; readonly reason: string };

/** What became of one that was sent. Whatever else happens, an exception too, is ambiguous. */
export type Sent =
  | { readonly outcome: 'succeeded'; readonly result: object | null }
  /** The provider refused for certain. */
  | { readonly outcome: 'failed'; readonly error: ActionError }
  /** It never reached the provider, for certain. */
  | { readonly outcome: 'not_executed'; readonly error: ActionError }
  | { readonly outcome: 'ambiguous'; readonly error: ActionError };

/** Which look it is at an ambiguous action. */
export interface Look {
  /** Ten minutes after it became ambiguous: what has not happened by then is taken as not going to. */
  readonly isLast: boolean;
}

/** Sends what was approved, once. Implemented by the modules above that reach providers. */
export interface ActionExecutor<Ready = unknown, Standing = ActionStanding> {
  readonly kind: ActionKind;
  /** The one connector that it serves; all of the kind without. */
  readonly connectorKey?: string;
  /**
   * Checks what is proposed and describes it: throws 400 (`invalid`) at `toolName` or `arguments`. Runs behind the locks of
   * the task or chat and of the execution.
   */
  describe(tx: Tx, target: ActionTarget, execution: ExecutionPrincipal): Promise<DescribedAction>;
  /**
   * How it stands now, as one row; none when what it uses is gone. With `lock` it holds what it reads FOR SHARE until the
   * commit, so that a change is either seen here or waits.
   */
  standing(target: ActionTarget, lock: boolean): Statement<Standing>;
  /** What that row means, where it is no standing itself. */
  standingOf?(row: Standing, target: ActionTarget): ActionStanding;
  /** Reads what sending needs; changes nothing anywhere. */
  prepare?(action: ActionToSend, signal: AbortSignal): Promise<Prepared<Ready>>;
  /** Sends it, once, on a connection of its own. */
  send(action: ActionToSend, prepared: Ready | undefined, signal: AbortSignal): Promise<Sent>;
  /** Looks what became of an ambiguous one; changes nothing. Undefined while that is not certain. */
  settle?(
    action: ActionToSend,
    signal: AbortSignal,
    look: Look,
  ): Promise<Exclude<Sent, { outcome: 'ambiguous' }> | undefined>;
  /** What it sends where that is more than its arguments; undefined where the bytes are kept no more. */
  payload?(action: StoredAction): Promise<ByteAnswer | undefined>;
}

/** Port: declared here, implemented by `webhooks`, `gateway` and `git-proxy`. */
export class ActionExecutors {
  private readonly executors = new Map<string, ActionExecutor>();

  register<Ready, Standing>(executor: ActionExecutor<Ready, Standing>): void {
    const { kind, connectorKey } = executor;
    const key = keyOf(kind, connectorKey);
    if (this.executors.has(key)) throw new Error(`Two modules register executors of ${key}.`);
    // Rows and what was prepared go only to the executor that they came from.
    this.executors.set(key, executor as unknown as ActionExecutor);
  }

  /** The executor of a kind and connector; undefined when there is none. */
  of({ kind, connectorKey }: Pick<ActionTarget, 'kind' | 'connectorKey'>): ActionExecutor | undefined {
    return this.executors.get(keyOf(kind, connectorKey)) ?? this.executors.get(keyOf(kind));
  }
}

function keyOf(kind: ActionKind, connectorKey?: string): string {
  return connectorKey === undefined ? kind : `${kind} ${connectorKey}`;
}
