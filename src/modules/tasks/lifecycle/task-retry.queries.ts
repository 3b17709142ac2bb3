import { ISO_NOW, type Statement, statement } from '../../../kernel/database/index.ts';
import { dependencyMoves } from '../graph/task-dependency.state.ts';
import { MAX_DEPENDENTS } from '../graph/task-locks.queries.ts';
import { isOpenTask } from '../task.state.ts';

/** Open tasks whose dependency on this one failed, as many as one transaction reopens. */
export function failedDependents(organizationId: string, taskId: string): Statement<{ id: string }> {
  return statement(
    `select t.id from task_dependency d join task t on t.organization_id = $1 and t.id = d.task_id
     where d.organization_id = $1 and d.depends_on_task_id = $2 and ${dependencyMoves.permits('reopen', 'd.status')}
       and ${isOpenTask('t.status')}
     order by t.id limit ${MAX_DEPENDENTS}`,
    organizationId,
    taskId,
  );
}

/** Those of locked dependents wait for a task again that has not ended. One that is not blocked goes on as it is. */
export function reopenDependents(organizationId: string, taskId: string, dependents: readonly string[]): Statement {
  return statement(
    `with reopened as (
       update task_dependency d set status = ${dependencyMoves.moved('reopen', 'd.status')}, failure = null, failed_at = null
       from task t
       where d.organization_id = $1 and d.depends_on_task_id = $2 and d.task_id = any($3::uuid[]) and ${dependencyMoves.permits('reopen', 'd.status')}
         and t.organization_id = $1 and t.id = d.task_id and ${isOpenTask('t.status')}
       returning d.task_id)
     update task t set version = t.version + 1, updated_at = clock_timestamp(), blockers =
       (select coalesce(jsonb_agg(b order by n) filter (where not (b->>'kind' = 'dependency_failed' and b->>'dependsOnTaskId' = $2::text)), '[]')
        from jsonb_array_elements(t.blockers) with ordinality e(b, n))
       || jsonb_build_array(jsonb_build_object('kind', 'dependency', 'dependsOnTaskId', $2::text, 'since', ${ISO_NOW}))
     from reopened r where t.organization_id = $1 and t.id = r.task_id and t.status = 'blocked'`,
    organizationId,
    taskId,
    dependents,
  );
}

/** Leaves the open dependents that a retry has not reopened to the sweep. */
export function flagFailedDependents(organizationId: string, taskId: string): Statement {
  return statement(
    `update task set dependents_unsettled = true
     where organization_id = $1 and id = $2 and exists (
       select from task_dependency d join task t on t.organization_id = $1 and t.id = d.task_id
       where d.organization_id = $1 and d.depends_on_task_id = $2 and ${dependencyMoves.permits('reopen', 'd.status')}
         and ${isOpenTask('t.status')})`,
    organizationId,
    taskId,
  );
}
