import { Injectable } from '@nestjs/common';
import type { Sql } from '../database/index.ts';
import { confirmedAccess, type OrganizationAccess } from '../tenancy/index.ts';
import type { Lane } from '../admission/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import type { ExecutionKind, ExecutionPrincipal } from '../principals/index.ts';
import { type ExecutionState, type Verdict, verdictOf } from './live-executions.queries.ts';

interface Demands {
  readonly enabledProfile?: boolean;
  /** Urgent unless said: what an execution reads and keeps of its own. What searches and makes work is ordinary. */
  readonly lane?: Lane;
}

type StateOf = (principal: ExecutionPrincipal) => Sql<ExecutionState>;

/**
 * The way into an organization for the execution that a capability names, open only while it lives. The modules that run
 * executions say how to ask for their state; what follows from it is decided here alone.
 */
@Injectable()
export class LiveExecutions {
  private readonly states = new Map<ExecutionKind, StateOf>();

  /**
   * Says how the state of one kind of execution is read: a select of at most one row, run inside the token's organization.
   * It may lock the row, so that the execution stays alive until the commit.
   */
  register(execution: ExecutionKind, stateOf: StateOf): void {
    if (this.states.has(execution)) throw new Error(`Two modules know executions of the kind ${execution}.`);
    this.states.set(execution, stateOf);
  }

  /**
   * 401 `agent_unauthorized` when the token has expired or its organization is not active (unknown, being deleted or
   * onboarded), 409 `state_conflict` when the execution is over or, with `enabledProfile`, its profile is disabled.
   * It costs no round trip of its own; behind a refused one, statements of the same batch see and change nothing.
   */
  access(principal: ExecutionPrincipal, { enabledProfile = false, lane = 'urgent' }: Demands = {}): OrganizationAccess {
    const stateOf = this.states.get(principal.execution);
    if (!stateOf) throw new Error(`No module knows executions of the kind ${principal.execution}.`);
    const verdict = verdictOf(principal, stateOf(principal), enabledProfile);
    const admit = ([row]: readonly Verdict[]) => {
      if (row?.entered) return;
      if (!row?.active || row.expired) throw new ApiError(EdgeErrors.agentUnauthorized);
      const message = row.alive ? "The execution's agent profile is disabled." : 'The execution is over.';
      throw new ApiError(EdgeErrors.stateConflict, { message });
    };
    return confirmedAccess(principal.organizationId, verdict, admit, EdgeErrors.agentUnauthorized, lane);
  }
}
