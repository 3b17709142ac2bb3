import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { Issue } from '../../../kernel/errors/index.ts';
import type { AttemptRun } from '../attempts/attempt.queries.ts';
import type { RunEndedDto } from './run-completion.dto.ts';

/** The answer to a final call: the statuses it left, or the one conflict that ends the run. */
export type FinalAnswer = { readonly ended: RunEndedDto } | { readonly refused: Issue };

/** Keeps the answer of a final call for repeats: the refusal, or the statuses of run, task and request by now. */
export function keepAnswer(
  organizationId: string,
  { id, taskId, runRequestId }: AttemptRun,
  digest: string,
  refused: Issue | undefined,
): Statement<{ answer: FinalAnswer }> {
  const organization = sql.value(organizationId);
  const refusal = refused ? JSON.stringify({ refused }) : null;
  return sql`
    update run r set final_digest = ${digest}, final_answer = coalesce(${refusal}::jsonb, jsonb_build_object(
      'ended', jsonb_build_object('runId', r.id, 'status', r.status, 'taskId', t.id, 'taskStatus', t.status,
        'runRequestStatus', q.status)))
    from task t, run_request q
    where r.organization_id = ${organization} and r.id = ${id}
      and t.organization_id = ${organization} and t.id = ${taskId}
      and q.organization_id = ${organization} and q.id = ${runRequestId}
    returning r.final_answer as answer`;
}

/** Marks where `giveLocksBack` goes back to. */
export function markLocks(): Statement {
  return sql`savepoint locks`;
}

/** Gives back the locks that were taken behind the mark, and numbers of tasks with them. */
export function giveLocksBack(): Statement {
  return sql`rollback to savepoint locks`;
}
