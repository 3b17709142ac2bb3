import { type Blocker, hasEnded, type LastError, type RunRequestStatus, type TaskStatus } from '../../tasks/index.ts';
import { type Load, type UnmetCondition, waitsBecause } from '../run-start.policy.ts';
import type { CapacityDto, NextMoverDto, WhyBlockerDto, WhyDto, WhyRefDto } from './why.dto.ts';

/** A task that another one waits for. */
interface Prerequisite {
  readonly identifier: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly isChild: boolean;
}

/** The facts of the answer, as one statement reads them. */
export interface WhyFacts {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly blockers: readonly Blocker[];
  /** Of a task that ended: `{kind, code, message}` unless it completed. */
  readonly result: { readonly code?: string; readonly message?: string } | null;
  /** The nearest known time at which the task came into its present state. */
  readonly updatedAt: string;
  readonly completedAt: string | null;
  readonly scheduledAt: string | null;
  /** Prerequisites by id. */
  readonly prerequisites: Readonly<Record<string, Prerequisite>>;
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly runStartedAt: string | null;
  readonly leaseExpiresAt: string | null;
  readonly cancelRequested: boolean;
  readonly requestId: string | null;
  readonly requestStatus: RunRequestStatus | null;
  readonly requestedAt: string | null;
  readonly availableAt: string | null;
  readonly claimedAt: string | null;
  readonly claimExpiresAt: string | null;
  /** Whether `availableAt` has passed. */
  readonly due: boolean;
  /** Releases in a row of the request. */
  readonly releases: number;
  readonly lastError: LastError | null;
  readonly profileId: string;
  readonly profileKey: string;
  /** The conditions of organization and profile, beside their capacity, that do not hold. */
  readonly unmet: readonly UnmetCondition[];
  readonly organizationLive: number;
  readonly organizationClaimed: number;
  readonly organizationLimit: number;
  readonly profileLive: number;
  readonly profileClaimed: number;
  readonly profileLimit: number;
}

type Moved = Pick<WhyDto, 'nextMover' | 'explanation'>;

/** Answers who moves a task next, what holds it back, and who can resolve that. */
export function why(facts: WhyFacts): WhyDto {
  const { taskId, status } = facts;
  const blockers = facts.blockers.map((blocker) => explained(blocker, facts));
  return {
    taskId,
    status,
    ...(next(facts, blockers) satisfies Moved),
    blockers,
    ...(hasEnded(status) ? {} : { capacity: capacityOf(facts) }),
  };
}

function next(facts: WhyFacts, blockers: readonly WhyBlockerDto[]): Moved {
  if (hasEnded(facts.status)) return ended(facts);
  if (facts.runId !== null) return running(facts, facts.runId);
  if (blockers.length > 0) return blocked(facts, blockers);
  if (facts.requestId !== null) return requested(facts, facts.requestId);
  // Liveness is broken for as long as the sweep takes to come by.
  return moved(
    { kind: 'none', since: facts.updatedAt, refs: [] },
    'Nothing moves the task; a sweep is about to mend it.',
  );
}

function ended({ status, result, completedAt, updatedAt }: WhyFacts): Moved {
  const reason = status === 'completed' || !result?.message ? '' : ` (${result.code}): ${withoutStop(result.message)}`;
  return moved({ kind: 'none', since: completedAt ?? updatedAt, refs: [] }, `The task is ${status}${reason}.`);
}

function running(facts: WhyFacts, runId: string): Moved {
  const label = `attempt ${facts.attempt}`;
  const mover: NextMoverDto = {
    kind: 'live_run',
    since: facts.runStartedAt ?? facts.updatedAt,
    ...(facts.leaseExpiresAt === null ? {} : { until: facts.leaseExpiresAt }),
    refs: [{ kind: 'run', id: runId, label }],
  };
  return moved(mover, facts.cancelRequested ? `Its ${label} was asked to stop.` : `Its ${label} is at work.`);
}

function blocked({ prerequisites }: WhyFacts, blockers: readonly WhyBlockerDto[]): Moved {
  const refs = blockers.flatMap((blocker) => blocker.refs);
  const since = blockers.map((blocker) => blocker.since).reduce((a, b) => (a < b ? a : b));
  const forChildren = blockers.every(
    ({ kind, refs: [ref] }) => kind === 'dependency' && ref !== undefined && prerequisites[ref.id]?.isChild,
  );
  if (forChildren) {
    const count = blockers.length === 1 ? 'its child' : `${blockers.length} of its children`;
    return moved({ kind: 'children', since, refs }, `The task waits for ${count}.`);
  }
  const [first] = blockers;
  const others = blockers.length === 1 ? '' : `, and ${blockers.length - 1} more hold it back`;
  return moved({ kind: 'blocker', since, refs }, `${withoutStop(first!.hint)}${others}.`);
}

function requested(facts: WhyFacts, requestId: string): Moved {
  const refs = [{ kind: 'run_request', id: requestId, label: `request, ${facts.requestStatus}` }];
  const since = facts.requestedAt ?? facts.updatedAt;
  const available = facts.availableAt ?? since;
  const held = heldBack(facts);
  if (facts.requestStatus === 'claimed') {
    const until = facts.claimExpiresAt === null ? {} : { until: facts.claimExpiresAt };
    return moved(
      { kind: 'run_request', since: facts.claimedAt ?? since, ...until, refs },
      held === undefined
        ? 'A worker has claimed the task and is about to start.'
        : `${held}: the worker that has claimed the task cannot start it.`,
    );
  }
  if (!facts.due && facts.releases > 0) {
    const times = facts.releases === 1 ? '' : ` ${facts.releases} times in a row`;
    return moved(
      { kind: 'run_request', since, until: available, refs },
      `${held === undefined ? '' : `${held}. `}The request rests because a worker gave it back${times}; others go first.`,
    );
  }
  if (!facts.due && facts.scheduledAt !== null && facts.lastError === null)
    return moved({ kind: 'schedule_time', since, until: available, refs }, 'The task is scheduled for later.');
  if (!facts.due) {
    const after = facts.lastError === null ? '' : ` after its last run failed with ${facts.lastError.code}`;
    return moved(
      { kind: 'run_request', since, until: available, refs },
      `The next attempt waits for its time${after}.`,
    );
  }
  return moved({ kind: 'run_request', since: available, refs }, `${held ?? 'The task waits for a worker'}.`);
}

/** Why a request may not start, whether it is due, rests or is claimed. One that is claimed has its place among the claims. */
function heldBack(facts: WhyFacts): string | undefined {
  const isClaimed = facts.requestStatus === 'claimed';
  const isFull = ({ live, claimed, limit }: Load) => (isClaimed ? live : live + claimed) >= limit;
  const { organization, profile } = capacityOf(facts);
  const full: readonly UnmetCondition[] = [
    ...(isFull(organization) ? (['organization_full'] as const) : []),
    ...(isFull(profile) ? (['profile_full'] as const) : []),
  ];
  return waitsBecause([...facts.unmet, ...full], { profileKey: facts.profileKey, organization, profile });
}

function capacityOf(facts: WhyFacts): CapacityDto {
  return {
    organization: {
      live: facts.organizationLive,
      claimed: facts.organizationClaimed,
      limit: facts.organizationLimit,
    },
    profile: { live: facts.profileLive, claimed: facts.profileClaimed, limit: facts.profileLimit },
  };
}

function explained(blocker: Blocker, { prerequisites }: WhyFacts): WhyBlockerDto {
  const { kind, since } = blocker;
  switch (blocker.kind) {
    case 'dependency':
    case 'dependency_failed': {
      const prerequisite = prerequisites[blocker.dependsOnTaskId];
      const name = prerequisite?.identifier ?? blocker.dependsOnTaskId;
      const label = prerequisite ? `${name} ${prerequisite.title}` : name;
      const refs = [{ kind: 'task', id: blocker.dependsOnTaskId, label }];
      return blocker.kind === 'dependency'
        ? {
            kind,
            since,
            refs,
            whoCanResolve: 'agent',
            hint: `The task waits for ${name}, which is ${prerequisite?.status}.`,
          }
        : {
            kind,
            since,
            refs,
            whoCanResolve: 'owner',
            hint: `${name} did not deliver: retry it, or waive the dependency.`,
          };
    }
    case 'handoff':
      return {
        kind,
        since,
        refs: [inboxItem(blocker.inboxItemId)],
        whoCanResolve: 'owner',
        hint: 'Answer the question in the inbox.',
      };
    case 'operator':
      return {
        kind,
        since,
        refs: [inboxItem(blocker.inboxItemId)],
        whoCanResolve: 'owner',
        hint: 'Decide in the inbox whether the task is tried again or cancelled.',
      };
    case 'action':
      return {
        kind,
        since,
        refs: [{ kind: 'action', id: blocker.actionId, label: 'action' }],
        whoCanResolve: 'owner',
        hint: 'Decide on the action, or reconcile it.',
      };
    case 'integration': {
      const { connectorKey, requirement } = blocker;
      const { purpose = null } = requirement as { readonly purpose?: string | null };
      const what = connectorKey === null ? `a connector for "${purpose ?? ''}"` : `the connector "${connectorKey}"`;
      const id = connectorKey ?? purpose ?? 'connector';
      return {
        kind,
        since,
        refs: [{ kind: 'connector', id, label: id }],
        whoCanResolve: 'configuration',
        hint: `Set up ${what} as the task requires.`,
      };
    }
  }
}

function inboxItem(id: string): WhyRefDto {
  return { kind: 'inbox_item', id, label: 'question' };
}

function moved(nextMover: NextMoverDto, explanation: string): Moved {
  return { nextMover, explanation };
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
