import type { IssueRow } from '../../kernel/errors/index.ts';
import { type Sql, sql } from '../../kernel/sql/index.ts';
import { isOpenTask, TaskIssues } from '../tasks/index.ts';
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

/** What the sentence about a waiting request names. */
export interface WaitingFacts {
  readonly profileKey: string;
  readonly organizationLimit: number;
  readonly profileLimit: number;
}

/** Defaults for organizations and profiles whose capacity row an older release did not create. */
const MAX_LIVE_RUNS = { organization: 10, profile: 3 } as const;

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
    issue: RunIssues.profileDisabled,
    message: RunIssues.profileDisabled.message,
    resolvedBy: 'owner',
    waiting: ({ profileKey }) => `The agent profile "${profileKey}" is disabled`,
  },
  /** Starts of one transaction count each other too, so the start decides on both by ranking them (`startRuns`). */
  organization_full: {
    about: 'organization',
    holds: `(select count(*) from run where run.organization_id = o.id and ${isLiveRun('run.status')})
      < coalesce((select c.max_live_runs from organization_capacity c
        where c.organization_id = o.id), ${MAX_LIVE_RUNS.organization})`,
    ...FULL,
    waiting: ({ organizationLimit }) => `The organization has as many live runs as it may have (${organizationLimit})`,
  },
  profile_full: {
    about: 'profile',
    holds: `(select count(*) from run
        where run.organization_id = p.organization_id and ${isLiveRun('run.status')} and run.agent_profile_id = p.id)
      < coalesce((select c.max_live_runs from profile_capacity c
        where c.organization_id = p.organization_id and c.agent_profile_id = p.id), ${MAX_LIVE_RUNS.profile})`,
    ...FULL,
    waiting: ({ profileKey, profileLimit }) =>
      `The agent profile "${profileKey}" has as many live runs as it may have (${profileLimit})`,
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

/** Condition of an organization `o`, or of a profile `p`, in which something may start: `more`, then what is counted. */
export function mayStartIn(about: 'organization' | 'profile', more: Sql = sql``): Sql {
  const { read, counted } = MAY_START[about];
  return sql`${read}${more} and ${counted}`;
}

const MAY_START = { organization: heldBy('organization'), profile: heldBy('profile') } as const;
function heldBy(about: 'organization' | 'profile') {
  const ofIt = ALL.filter(([, condition]) => condition.about === about);
  const holds = (ranked: boolean) =>
    ofIt.filter(([unmet]) => RANKED.has(unmet) === ranked).map(([, condition]) => condition.holds);
  const read = [...(about === 'organization' ? [ORGANIZATION_ACTIVE] : []), ...holds(false)];
  return { read: sql.raw(read.join(' and ')), counted: sql.raw(holds(true).join(' and ')) };
}
