import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import { Filters, KeysetList } from '../../../kernel/pagination/index.ts';
import { dependencyCursor } from './task-dependency-cursor.ts';
import type { Edge } from './task-cycles.ts';
import type { TaskDependencyListQuery, TaskDependencyRow } from './task-dependency.dto.ts';

/** Columns of a dependency aliased `d`. */
export const DEPENDENCY_COLUMNS: { readonly [Property in keyof TaskDependencyRow]-?: string } = {
  organizationId: 'd.organization_id',
  taskId: 'd.task_id',
  dependsOnTaskId: 'd.depends_on_task_id',
  status: 'd.status',
  required: 'd.required',
  condition: 'd.condition',
  failure: 'd.failure',
  createdAt: 'd.created_at',
  satisfiedAt: 'd.satisfied_at',
  failedAt: 'd.failed_at',
};

const select = columns<TaskDependencyRow>(DEPENDENCY_COLUMNS);

export function dependenciesOf(organizationId: string, query: TaskDependencyListQuery): KeysetList<TaskDependencyRow> {
  const filters = new Filters()
    .equals('d.organization_id', organizationId)
    .oneOf('d.status', query.status)
    .equals('d.task_id', query.taskId)
    .equals('d.depends_on_task_id', query.dependsOnTaskId)
    .between('d.created_at', query.createdAfter, query.createdBefore);
  const isOfTask = query.taskId !== undefined || query.dependsOnTaskId !== undefined;
  return new KeysetList<TaskDependencyRow>(
    {
      select,
      from: 'task_dependency d',
      where: filters.where,
      walks: isOfTask || !query.status ? undefined : [{ column: 'status', values: [...new Set(query.status)] }],
      // The primary key behind the organization.
      sortBy: [
        { sql: 'd.task_id', type: 'uuid', of: ({ taskId }) => taskId },
        { sql: 'd.depends_on_task_id', type: 'uuid', of: ({ dependsOnTaskId }) => dependsOnTaskId },
      ],
      cursor: dependencyCursor,
    },
    query,
  );
}

export function dependencyOf(organizationId: string, { taskId, dependsOnTaskId }: Edge): Statement<TaskDependencyRow> {
  return sql`
    select ${select} from task_dependency d
    where d.organization_id = ${organizationId} and d.task_id = ${taskId}
      and d.depends_on_task_id = ${dependsOnTaskId}`;
}
