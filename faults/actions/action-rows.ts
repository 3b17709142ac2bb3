import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '../cluster.ts';

const DRAIN_LIMIT_MS = 120_000;
const LOOK_MS = 500;
const UNDERWAY = new Set(['awaiting_approval', 'approved', 'executing']);

/** What the database holds of actions. */
export interface ActionRows {
  readonly actions: readonly ActionRow[];
  /** Open items that ask a person what became of an action. */
  readonly questions: readonly { readonly actionId: string }[];
  readonly tasks: readonly WaitingTaskRow[];
  /** How often a verb is in the activity log, by action. */
  readonly activity: readonly { readonly verb: string; readonly actionId: string; readonly count: number }[];
}

export interface ActionRow {
  readonly id: string;
  readonly status: string;
  readonly wasSent: boolean;
  readonly errorCode: string | null;
}

export interface WaitingTaskRow {
  readonly id: string;
  readonly status: string;
  /** Runs that waited for actions, and runs that completed the task. */
  readonly waits: number;
  readonly completions: number;
}

/** Whether somebody or something still moves an action. */
export function isUnderway({ status }: ActionRow): boolean {
  return UNDERWAY.has(status);
}

/** The rows once they are as wanted, or when the time is up, which the checker notices. */
export async function settledActions(
  cluster: Cluster,
  over: AbortSignal,
  isSo: (rows: ActionRows) => boolean,
): Promise<ActionRows> {
  const deadline = performance.now() + DRAIN_LIMIT_MS;
  for (;;) {
    const rows = await readActionRows((text) => cluster.rows(text));
    if (isSo(rows) || performance.now() > deadline) return rows;
    over.throwIfAborted();
    await wait(LOOK_MS);
  }
}

type Select = <T extends object>(text: string) => Promise<T[]>;

async function readActionRows(select: Select): Promise<ActionRows> {
  return {
    actions: await select<ActionRow>(
      `select id, status, sent_at is not null as "wasSent", error->>'code' as "errorCode" from action`,
    ),
    questions: await select<{ actionId: string }>(
      `select action_id as "actionId" from inbox_item where kind = 'reconciliation' and status = 'open'`,
    ),
    tasks: await select<WaitingTaskRow>(
      `select t.id, t.status, count(*) filter (where r.output->'result'->>'kind' = 'action_wait')::int as waits,
         count(*) filter (where r.output->'result'->>'kind' = 'completed')::int as completions
       from task t left join run r on r.organization_id = t.organization_id and r.task_id = t.id and r.status = 'succeeded'
       where t.kind = 'task'
       group by t.id, t.status`,
    ),
    activity: await select<{ verb: string; actionId: string; count: number }>(
      `select verb, subject_id as "actionId", count(*)::int as count from activity
       where subject_kind = 'action' group by verb, subject_id`,
    ),
  };
}
