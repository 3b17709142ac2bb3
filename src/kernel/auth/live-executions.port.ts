import { Injectable } from '@nestjs/common';
import type { Sql } from '../database/index.ts';
import { confirmedAccess, type OrganizationAccess } from '../tenancy/index.ts';
import type { Lane } from '../admission/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, unauthorized } from '../errors/index.ts';
import type { ExecutionKind, ExecutionPrincipal } from '../principals/index.ts';
import { type ExecutionState, type Verdict, verdictOf } from './live-executions.queries.ts';

interface Demands {
  readonly enabledProfile?: boolean;
  /**
   * Urgent by default, for what an execution reads and stores of its own. Searches and calls that create work are
   * ordinary.
   */
  readonly lane?: Lane;
}

type StateOf = (principal: ExecutionPrincipal) => Sql<ExecutionState>;

/**
 * Gives the execution of a capability access to its organization while it is alive. The modules that run executions
 * register how to read their state; only this class decides what follows from it.
 */
@Injectable()
export class LiveExecutions {
  private readonly states = new Map<ExecutionKind, StateOf>();

  /**
   * Registers how to read the state of one kind of execution: a select of at most one row, run inside the token's
   * organization. It may lock the row, so that the execution stays alive until the commit.
   */
  register(execution: ExecutionKind, stateOf: StateOf): void {
    if (this.states.has(execution)) throw new Error(`Two modules register executions of the kind ${execution}.`);
    this.states.set(execution, stateOf);
  }

  /**
   * Access that is refused with 401 `agent_unauthorized` when the token has expired or its organization is not active
   * (unknown, being deleted or onboarded), with 409 `state_conflict` when the execution has ended or, with
   * `enabledProfile`, its profile is disabled, and with 401 and `not_in_scope` when the person on whose behalf it acts could
   * not do what the route does (`principal.scope`). Costs no round trip of its own; after a refusal, statements of the same
   * batch see and change nothing.
   */
  access(principal: ExecutionPrincipal, { enabledProfile = false, lane = 'urgent' }: Demands = {}): OrganizationAccess {
    const stateOf = this.states.get(principal.execution);
    if (!stateOf) throw new Error(`No module has registered executions of the kind ${principal.execution}.`);
    const verdict = verdictOf(principal, stateOf(principal), enabledProfile);
    const admit = ([row]: readonly Verdict[]) => {
      if (row?.entered) return;
      if (!row?.active || row.expired) throw unauthorized(EdgeErrors.agentUnauthorized, EdgeIssues.unknownToken);
      if (row.alive && !row.permitted)
        throw unauthorized(
          EdgeErrors.agentUnauthorized,
          EdgeIssues.notInScope,
          `is of a turn that answers a message whose token lacks the scope "${principal.scope}", which this takes`,
        );
      const message = row.alive
        ? "The execution's agent profile is disabled; enable it first."
        : 'The execution has ended; stop working on it.';
      throw new ApiError(EdgeErrors.stateConflict, { message });
    };
    return confirmedAccess(principal.organizationId, verdict, admit, EdgeErrors.agentUnauthorized, lane);
  }
}
