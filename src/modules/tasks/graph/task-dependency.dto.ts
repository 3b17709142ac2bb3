import { EdgeIssues } from '../../../kernel/errors/index.ts';
import { PageQuery } from '../../../kernel/pagination/index.ts';
import {
  Flag,
  Formatted,
  ListOf,
  Nested,
  OneOf,
  Slug,
  Text,
  Timestamp,
  Uuid,
} from '../../../kernel/validation/index.ts';
import { isDependencyCursor } from './task-dependency-cursor.ts';
import { DEPENDENCY_FAILURES, DEPENDENCY_STATUSES, type DependencyCondition } from './task-dependency.state.ts';

export class TaskDependencyParams {
  @Uuid()
  organizationId!: string;
  @Uuid({ description: 'The dependent task' })
  taskId!: string;
  @Uuid({ description: 'Its prerequisite' })
  dependsOnTaskId!: string;
}

export class TaskDependencyListQuery extends PageQuery {
  @Formatted({
    test: isDependencyCursor,
    issue: EdgeIssues.invalidCursor,
    what: '`<taskId>:<dependsOnTaskId>`',
    max: 73,
    optional: true,
    description: 'Continues from here: `<taskId>:<dependsOnTaskId>` of the last row of the page before',
  })
  declare cursor?: string;
  @ListOf(DEPENDENCY_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
  @Uuid({ optional: true, description: 'Only of this dependent' })
  taskId?: string;
  @Uuid({ optional: true, description: 'Only of this prerequisite' })
  dependsOnTaskId?: string;
  @Timestamp({ optional: true, description: 'Only rows created after this' })
  createdAfter?: string;
  @Timestamp({ optional: true, description: 'Only rows created before this' })
  createdBefore?: string;
}

export class DependencyConditionDto {
  @OneOf(['completion', 'artifact'], {
    description: 'The prerequisite completes, or it completes with an artifact of a kind',
  })
  kind!: 'completion' | 'artifact';
  @Slug({ kinds: ['artifact'], description: 'The kind of the artifact', example: 'report' })
  artifactKind?: string;
}

export class DependencyFailureDto {
  @OneOf(DEPENDENCY_FAILURES)
  code!: string;
  @Text({ example: 'The prerequisite failed.' })
  message!: string;
}

export class TaskDependencyDto {
  @Uuid()
  organizationId!: string;
  @Uuid({ description: 'The dependent task' })
  taskId!: string;
  @Uuid({ description: 'Its prerequisite' })
  dependsOnTaskId!: string;
  @OneOf(DEPENDENCY_STATUSES)
  status!: string;
  @Flag({ description: 'Whether its failure blocks the dependent' })
  required!: boolean;
  @Nested(() => DependencyConditionDto, { example: { kind: 'artifact', artifactKind: 'report' } })
  condition!: DependencyConditionDto;
  @Nested(() => DependencyFailureDto, { nullable: true, example: null })
  failure!: DependencyFailureDto | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp({ nullable: true, example: null })
  satisfiedAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  failedAt!: string | null;
}

/** The columns that a dependency is shown from: it is shown as it is kept. */
export type TaskDependencyRow = Omit<TaskDependencyDto, 'condition'> & { readonly condition: DependencyCondition };
