import { Injectable } from '@nestjs/common';
import type { Sql, Statement, Tx } from '../database/index.ts';
import { confirmedAccess, type OrganizationAccess } from '../tenancy/index.ts';
import type { Lane } from '../admission/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, issueAt, unauthorized } from '../errors/index.ts';
import type { ExecutionKind, ExecutionPrincipal, Mode } from '../principals/index.ts';
import { type ExecutionState, type Verdict, verdictOf } from './live-executions.queries.ts';

interface Demands {
  readonly enabledProfile?: boolean;
  /**
   * Urgent by default, for what an execution reads and stores of its own. Searches and calls that create work are
   * ordinary.
   */
  readonly lane?: Lane;
}

/** What an execution works on, which never changes: the task of a run, the chat of a turn. */
export type BoundTo = { readonly taskId: string } | { readonly chatId: string };

/** A run that cannot end before the commit. */
export interface HeldTaskRun {
  readonly execution: 'task_run';
  readonly taskId: string;
  /** Fresh where the caller has locked the task. */
  readonly taskVersion: number;
  readonly mode: Mode;
}

/** A turn that cannot end before the commit. */
export interface HeldChatTurn {
  readonly execution: 'chat_turn';
  readonly chatId: string;
  /** The person's message that it answers; null in rows of releases that did not keep it. */
  readonly userMessageId: string | null;
}

export type HeldExecution = HeldTaskRun | HeldChatTurn;

/** How to read one kind of execution: selects of at most one row, run inside the token's organization. */
export interface ExecutionStatements {
  /** It may lock the row, so that the execution stays alive until the commit. */
  state(principal: ExecutionPrincipal): Sql<ExecutionState>;
  /** Live or ended, without a lock. */
  boundTo(principal: ExecutionPrincipal): Statement<BoundTo>;
  /** Locks the live execution FOR SHARE; no row when it is over. */
  hold(principal: ExecutionPrincipal): Statement<HeldExecution>;
}

/**
 * Gives the execution of a capability access to its organization while it is alive. The modules that run executions
 * register how to read and hold them; only this class decides what follows from it.
 */
@Injectable()
export class LiveExecutions {
  private readonly statements = new Map<ExecutionKind, ExecutionStatements>();

  register(execution: ExecutionKind, statements: ExecutionStatements): void {
    if (this.statements.has(execution)) throw new Error(`Two modules register executions of the kind ${execution}.`);
    this.statements.set(execution, statements);
  }

  /** The task or chat, read without a lock so that it can be locked first; 409 where the execution is unknown. */
  async boundTo(tx: Tx, principal: ExecutionPrincipal): Promise<BoundTo> {
    const [bound] = await tx.rows(this.of(principal).boundTo(principal));
    if (!bound) throw over();
    return bound;
  }

  /**
   * Locks the run or turn shared, behind its task or chat in the order of locks, so that calls which would end it wait for
   * this transaction: no write of an agent lands behind the end of its execution. 409 when it is over.
   */
  async hold(tx: Tx, principal: ExecutionPrincipal): Promise<HeldExecution> {
    const [held] = await tx.rows(this.of(principal).hold(principal));
    if (!held) throw over();
    return held;
  }

  /**
   * Access that is refused with 401 `agent_unauthorized` when the token has expired or its organization is not active
   * (unknown, being deleted or onboarded), with 409 `state_conflict` when the execution has ended or, with
   * `enabledProfile`, its profile is disabled (`profile_disabled`), and with 401 and `not_in_scope` when the person on whose behalf it acts could
   * not do what the route does (`principal.scope`). Costs no round trip of its own; after a refusal, statements of the same
   * batch see and change nothing.
   */
  access(principal: ExecutionPrincipal, { enabledProfile = false, lane = 'urgent' }: Demands = {}): OrganizationAccess {
    const verdict = verdictOf(principal, this.of(principal).state(principal), enabledProfile);
    const admit = ([row]: readonly Verdict[]) => {
      if (row?.entered) return;
      if (!row?.active || row.expired) throw unauthorized(EdgeErrors.agentUnauthorized, EdgeIssues.unknownToken);
      if (row.alive && !row.permitted)
        throw unauthorized(
          EdgeErrors.agentUnauthorized,
          EdgeIssues.notInScope,
          `is of a turn that answers a message whose token lacks the scope "${principal.scope}", which this takes`,
        );
      if (row.alive)
        throw new ApiError(EdgeErrors.stateConflict, {
          message: "The execution's agent profile is disabled; enable it first.",
          issues: [issueAt('', EdgeIssues.profileDisabled)],
        });
      throw new ApiError(EdgeErrors.stateConflict, { message: 'The execution has ended; stop working on it.' });
    };
    return confirmedAccess(principal.organizationId, verdict, admit, EdgeErrors.agentUnauthorized, lane);
  }

  private of({ execution }: ExecutionPrincipal): ExecutionStatements {
    const statements = this.statements.get(execution);
    if (!statements) throw new Error(`No module has registered executions of the kind ${execution}.`);
    return statements;
  }
}

function over(): ApiError {
  return new ApiError(EdgeErrors.stateConflict, { message: 'The execution is over.' });
}
