import { sql, type Statement } from '../../../kernel/database/index.ts';
import { ARTIFACT_KINDS, UNSETTLED } from '../graph/dependents.queries.ts';
import { dependencyMoves } from '../graph/task-dependency.state.ts';
import { type DependentTask, MAX_DEPENDENTS } from '../graph/task-locks.queries.ts';
import { isEndedTask, isOpenTask } from '../task.state.ts';
import { type FoundTask, SWEEP_LIMIT } from './task-sweep.ts';

const HAS_ENDED = sql.raw(isEndedTask('p.status'));
const IS_OPEN = sql.raw(isOpenTask('t.status'));
const MAY_REOPEN = sql.raw(dependencyMoves.permits('reopen', 'd.status'));

/** Tasks whose ends or retries left dependents, across organizations. */
export function withUnsettledDependents(): Statement<FoundTask> {
  return sql`
    select t.organization_id as "organizationId", t.id from task t join organization o on o.id = t.organization_id
    where t.dependents_unsettled and o.status = 'active' limit ${sql.raw(String(SWEEP_LIMIT))}`;
}

/** Edges of open dependents that an end, or a retry, has not moved yet; of ended dependents those behind an end. */
export function unsettledOf(
  organizationId: string,
  taskIds: readonly string[],
): Statement<DependentTask & { readonly prerequisiteId: string }> {
  const organization = sql.value(organizationId);
  return sql`
    select t.id, t.parent_id as "parentId", p.id as "prerequisiteId"
    from task p
    join task_dependency d on d.organization_id = ${organization} and d.depends_on_task_id = p.id
    join task t on t.organization_id = ${organization} and t.id = d.task_id
    where p.organization_id = ${organization} and p.id = any(${taskIds}::uuid[])
      and case when ${HAS_ENDED} then ${UNSETTLED} else ${MAY_REOPEN} and ${IS_OPEN} end
    order by t.id limit ${MAX_DEPENDENTS}`;
}

export function artifactKindsOf(
  organizationId: string,
  taskIds: readonly string[],
): Statement<{ id: string; artifactKinds: string[] }> {
  return sql`
    select t.id, ${ARTIFACT_KINDS} as "artifactKinds" from task t
    where t.organization_id = ${organizationId} and t.id = any(${taskIds}::uuid[])`;
}

export function markSettled(organizationId: string, taskIds: readonly string[]): Statement {
  return sql`
    update task set dependents_unsettled = false
    where organization_id = ${organizationId} and id = any(${taskIds}::uuid[]) and dependents_unsettled`;
}
