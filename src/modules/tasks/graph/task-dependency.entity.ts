import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { DEPENDENCY_STATUSES, type DependencyCondition, type DependencyFailureCode } from './task-dependency.state.ts';
import { Task } from '../task.entity.ts';

/** An edge: a task depends on another of its organization, its prerequisite. */
const schema = defineEntity({
  name: 'TaskDependency',
  tableName: 'task_dependency',
  properties: {
    task: () =>
      p
        .manyToOne(Task)
        .primary()
        .joinColumns('organization_id', 'task_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    dependsOn: () =>
      p
        .manyToOne(Task)
        .primary()
        .joinColumns('organization_id', 'depends_on_task_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    taskId: p.uuid().persist(false),
    dependsOnTaskId: p.uuid().persist(false),
    status: p.enum(DEPENDENCY_STATUSES).columnType('text').default('pending'),
    required: p.boolean().default(true),
    condition: p.json<DependencyCondition>(),
    failure: p.json<{ readonly code: DependencyFailureCode; readonly message: string }>().nullable(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
    satisfiedAt: timestamp().nullable(),
    failedAt: timestamp().nullable(),
  },
  indexes: [
    // What the list filters by, in its order.
    {
      name: 'task_dependency_by_status',
      expression:
        'create index task_dependency_by_status on task_dependency (organization_id, status, task_id, depends_on_task_id)',
    },
    {
      name: 'task_dependency_dependents',
      expression:
        'create index task_dependency_dependents on task_dependency (organization_id, depends_on_task_id, task_id)',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class TaskDependency extends schema.class {}
schema.setClass(TaskDependency);
