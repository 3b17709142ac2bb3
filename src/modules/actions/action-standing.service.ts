import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import type { IssueRow } from '../../kernel/errors/index.ts';
import {
  type ActionExecutor,
  ActionExecutors,
  type ActionStanding,
  type ActionTarget,
} from './action-executors.port.ts';
import { ActionIssues } from './action.errors.ts';
import type { LockedAction } from './action-row.ts';
import { changedFact, policyOf } from './action.policy.ts';
import type { ActionPolicy } from './action.state.ts';
import { grounds } from './actions.queries.ts';

/** How an action stands by what it is bound to, and by the rules of now. */
export interface ActionVerdict {
  /** The bound fact that changed; null while all are as they were. */
  readonly changed: string | null;
  /** Why it cannot be used at present, as a sentence; null when it can. */
  readonly unusable: string | null;
  /** The word for that. */
  readonly unusableWord: IssueRow;
  /** What the policy says by now. */
  readonly policy: ActionPolicy;
}

/** The profile that proposed it must be there and enabled, and its kind and connector served, whatever the executor binds. */
const PROFILE = 'agent_profile';
const CONNECTOR = 'connector';

/** Compares actions with what they were bound to: for approvals, and again before anything leaves. */
@Injectable()
export class ActionStandingService {
  constructor(private readonly executors: ActionExecutors) {}

  /**
   * Reads how an action stands. With `lock` it holds what its executor reads until the commit; the caller has locked
   * organization and profile.
   */
  async of(tx: Tx, action: LockedAction, { lock = false } = {}): Promise<ActionVerdict> {
    const executor = this.executors.of(action);
    const [ground] = await tx.rows(grounds(tx.organizationId, action.agentProfileId));
    const target = targetOf(tx.organizationId, action);
    const standing = executor && (await standingOf(tx, executor, target, lock));
    return {
      changed: changedOf(action, standing, ground!.profileEnabled),
      unusable: standing?.unusable ?? null,
      unusableWord: standing?.unusableWord ?? ActionIssues.unusable,
      policy: policyOf({
        catalogRisk: standing?.risk ?? action.policy.catalogRisk,
        callerRisk: action.policy.callerRisk,
        connectorReasons: standing?.approvalReasons ?? [],
        approvalRequiredForRisk: ground!.approvalRequiredForRisk,
      }),
    };
  }
}

async function standingOf(
  tx: Tx,
  executor: ActionExecutor,
  target: ActionTarget,
  lock: boolean,
): Promise<ActionStanding | undefined> {
  const [row] = await tx.rows(executor.standing(target, lock));
  return row && (executor.standingOf?.(row, target) ?? row);
}

function changedOf({ facts }: LockedAction, standing: ActionStanding | undefined, profileEnabled: boolean) {
  if (!profileEnabled) return PROFILE;
  return standing ? (changedFact(facts, standing.facts) ?? null) : CONNECTOR;
}

function targetOf(organizationId: string, action: LockedAction): ActionTarget {
  const { kind, connectorKey, toolName, integrationId, agentProfileId } = action;
  const given = JSON.parse(action.arguments) as Record<string, unknown>;
  return { organizationId, kind, connectorKey, toolName, integrationId, agentProfileId, arguments: given };
}
