import { EdgeIssues, type IssueRow } from '../../kernel/errors/index.ts';
import { PROFILE_LIVE_RUN_LIMIT } from '../agent-profiles/index.ts';
import { LIVE_RUN_LIMIT } from '../organizations/index.ts';
import { isHandedOut, isOpenTask, TaskIssues } from '../tasks/index.ts';
import { RunIssues } from './run.errors.ts';
import { isLiveRun } from './run.state.ts';

/**
 * The conditions of a start, each once. The start refuses by the first that does not hold, in this order. A claim skips
 * work that a condition about organization or profile would refuse; such work is not in the lines that claims walk at all.
 * `why` names the condition that holds a request back.
 *
 * Their SQL names `organization o`, `agent_profile p`, `task t` and the start's time `clock.now`.
 */
export interface StartCondition {
  readonly about: 'task' | 'organization' | 'profile';
  readonly holds: string;
  /** The issue of a refusal, and its sentence. */
  readonly issue: IssueRow;
  readonly message: string;
  /** What lets the start pass later: an event by itself, or nothing that this request could wait for. */
  readonly resolvedBy: 'clock' | 'owner' | 'end_of_run' | 'nothing';
  /** Says of a request that it waits for this; only of conditions that are no matter of the task. */
  readonly waiting?: (facts: WaitingFacts) => string;
}

/** How much of a capacity is taken. */
export interface Load {
  readonly live: number;
  /** Requests that workers hold and may start. */
  readonly claimed: number;
  readonly limit: number;
}

/** What the sentence about a waiting request names. */
export interface WaitingFacts {
  readonly profileKey: string;
  readonly organization: Load;
  readonly profile: Load;
}

type Holder = 'organization' | 'profile';

/** SQL for how many runs of an organization `o` or a profile `p` may be live; the defaults where an older release made no row. */
const LIMIT: Readonly<Record<Holder, string>> = {
  organization: `coalesce((select c.max_live_runs from organization_capacity c
      where c.organization_id = o.id), ${LIVE_RUN_LIMIT.default})`,
  profile: `coalesce((select c.max_live_runs from profile_capacity c
      where c.organization_id = p.organization_id and c.agent_profile_id = p.id), ${PROFILE_LIVE_RUN_LIMIT.default})`,
};

/** How many are. */
const LIVE: Readonly<Record<Holder, string>> = {
  organization: `(select count(*) from run where run.organization_id = o.id and ${isLiveRun('run.status')})`,
  profile: `(select count(*) from run
      where run.organization_id = p.organization_id and ${isLiveRun('run.status')} and run.agent_profile_id = p.id)`,
};

/** How many requests are handed out, a claim that has lapsed included until it is queued again. */
const CLAIMED: Readonly<Record<Holder, string>> = {
  organization: `(select count(*) from run_request g where g.organization_id = o.id and ${isHandedOut('g')})`,
  profile: `(select count(*) from run_request g
      where g.organization_id = p.organization_id and g.agent_profile_id = p.id and ${isHandedOut('g')})`,
};

/** SQL for how many more requests of it may be handed out; the moment of a start changes nothing about it. */
export const PLACES = { organization: placesOf('organization'), profile: placesOf('profile') } as const;
function placesOf(holder: Holder): string {
  return `${LIMIT[holder]} - ${LIVE[holder]} - ${CLAIMED[holder]}`;
}

const FULL = {
  issue: RunIssues.capacityExceeded,
  message: RunIssues.capacityExceeded.message,
  resolvedBy: 'end_of_run',
} as const;

export const START_CONDITIONS = {
  task_ended: {
    about: 'task',
    holds: isOpenTask('t.status'),
    issue: TaskIssues.taskEnded,
    message: 'The task has ended.',
    resolvedBy: 'nothing',
  },
  task_not_due: {
    about: 'task',
    holds: 't.scheduled_at is null or t.scheduled_at <= clock.now',
    issue: RunIssues.taskNotReady,
    message: 'The task is not due yet.',
    resolvedBy: 'clock',
  },
  /** By the edges themselves: what the task says of them may be late. */
  task_blocked: {
    about: 'task',
    holds: `not exists (select from jsonb_array_elements(t.blockers) b where b->>'kind' <> 'dependency')
      and not exists (select from task_dependency d where d.organization_id = t.organization_id and d.task_id = t.id
        and d.required and d.status not in ('satisfied', 'waived'))`,
    issue: RunIssues.taskNotReady,
    message: 'The task is blocked.',
    resolvedBy: 'nothing',
  },
  budget_exhausted: {
    about: 'task',
    holds: 't.consumed_agent_run_count < t.max_agent_runs',
    issue: TaskIssues.budgetExhausted,
    message: TaskIssues.budgetExhausted.message,
    resolvedBy: 'nothing',
  },
  work_dispatch_stopped: {
    about: 'organization',
    holds: 'o.work_dispatch_stopped_at is null',
    issue: RunIssues.workDispatchStopped,
    message: RunIssues.workDispatchStopped.message,
    resolvedBy: 'owner',
    waiting: () => 'Work dispatch is stopped',
  },
  profile_disabled: {
    about: 'profile',
    holds: `p.status = 'enabled' and p.deleted_at is null`,
    issue: EdgeIssues.profileDisabled,
    message: EdgeIssues.profileDisabled.message,
    resolvedBy: 'owner',
    waiting: ({ profileKey }) => `The agent profile "${profileKey}" is disabled`,
  },
  /**
   * What claims ask. Starts ask for live runs alone, and those of one transaction count each other too, so the start
   * decides on both by ranking them (`startRuns`).
   */
  organization_full: {
    about: 'organization',
    holds: `${PLACES.organization} > 0`,
    ...FULL,
    waiting: ({ organization }) => `The organization has ${taken(organization)}`,
  },
  profile_full: {
    about: 'profile',
    holds: `${PLACES.profile} > 0`,
    ...FULL,
    waiting: ({ profileKey, profile }) => `The agent profile "${profileKey}" has ${taken(profile)}`,
  },
} as const satisfies Record<string, StartCondition>;
export type UnmetCondition = keyof typeof START_CONDITIONS;

const ALL = Object.entries(START_CONDITIONS) as [UnmetCondition, StartCondition][];
const RANKED: ReadonlySet<UnmetCondition> = new Set(['organization_full', 'profile_full']);

/** Nothing of an organization moves unless it is active: a part of every fence, so no refusal of its own. */
export const ORGANIZATION_ACTIVE = `o.status = 'active'`;

/** SQL cases of a verdict: each condition that does not hold, but those that the start ranks. */
export function unmetCases(): string {
  return ALL.filter(([unmet]) => !RANKED.has(unmet))
    .map(([unmet, { holds }]) => `when not (${holds}) then '${unmet}'`)
    .join('\n         ');
}

/** SQL for the same, as an array of all that do not hold of organization and profile. */
export function unmetAsArray(): string {
  const cases = ALL.filter(([unmet, { about }]) => about !== 'task' && !RANKED.has(unmet)).map(
    ([unmet, { holds }]) => `case when not (${holds}) then '${unmet}' end`,
  );
  return `array_remove(array[${cases.join(', ')}], null)`;
}

/** Why a request waits, of those that do not hold; undefined where it may start. */
export function waitsBecause(unmet: readonly UnmetCondition[], facts: WaitingFacts): string | undefined {
  const [, condition] = ALL.find(([each]) => unmet.includes(each)) ?? [];
  return condition?.waiting?.(facts);
}

/** Condition of an organization `o`, or of a profile `p`, in which something may start, but for its capacity. */
export function isPermittedIn(about: Holder): string {
  const holds = ALL.filter(([unmet, condition]) => condition.about === about && !RANKED.has(unmet)).map(
    ([, condition]) => condition.holds,
  );
  return [...(about === 'organization' ? [ORGANIZATION_ACTIVE] : []), ...holds].join(' and ');
}

/** The same with its capacity, which is counted last. */
export function mayStartIn(about: Holder): string {
  return `${isPermittedIn(about)} and ${START_CONDITIONS[`${about}_full`].holds}`;
}

/** What of a capacity is taken, in words. */
function taken({ live, claimed, limit }: Load): string {
  const runs = `${live} live ${live === 1 ? 'run' : 'runs'}`;
  const claims = claimed === 0 ? '' : ` and ${claimed} claimed ${claimed === 1 ? 'one' : 'ones'}`;
  return `${runs}${claims} of at most ${limit}`;
}
