import { applyDecorators } from '@nestjs/common';
import {
  ConvertedText,
  type FieldOptions,
  Flag,
  Formatted,
  Integer,
  isSlug,
  Nested,
  NestedList,
  OneOf,
  PartialUpdate,
  Slug,
  Text,
  Timestamp,
  VariantList,
} from '../../../kernel/validation/index.ts';
import { CreateConditionDto, completion, CreateDependencyDto, TaskDetailsDto } from '../creation/task-creation.dto.ts';
import { AcceptanceCriterionDto } from '../task.dto.ts';
import { parseTaskRef } from '../task-ref.ts';
import { PRIORITY } from '../task.state.ts';
import { TaskIssues } from '../task.errors.ts';

const MAX_OPERATIONS = 200;

/** A task by its id, its identifier, or the `ref` under which the same plan creates it. */
function PlanTask(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => {
      const parsed = parseTaskRef(text);
      return parsed && 'id' in parsed ? parsed.id : text;
    }),
    Formatted({
      description: 'The `ref` of a task of this plan, or the id or identifier of an existing one',
      example: 'research',
      ...options,
      test: (text) => isSlug(text) || parseTaskRef(text) !== undefined,
      issue: TaskIssues.invalidTaskRef,
      what: 'a ref of this plan, a UUID or an identifier such as ENG-7',
      max: 100,
    }),
  );
}

export class PlanDependencyDto extends CreateDependencyDto {
  @PlanTask({ description: 'The prerequisite: a `ref` of this plan, or any task of the organization' })
  declare taskRef: string;
}

export class CreateTaskOperationDto extends TaskDetailsDto {
  @OneOf(['create_task'])
  kind!: 'create_task';
  @Slug({ example: 'research', description: 'Names the task within this plan' })
  ref!: string;
  @PlanTask({ optional: true, example: undefined, description: 'The parent; the planning task when left out' })
  parent?: string;
  @NestedList(() => PlanDependencyDto, { max: 50, optional: true, example: [] })
  dependsOn: PlanDependencyDto[] = [];
}

export class AddDependencyOperationDto {
  @OneOf(['add_dependency'])
  kind!: 'add_dependency';
  @PlanTask()
  task!: string;
  @PlanTask({ description: 'The prerequisite: a `ref` of this plan, or any task of the organization' })
  dependsOn!: string;
  @Flag({ optional: true, default: true, description: 'Whether its failure blocks the task' })
  required = true;
  @Nested(() => CreateConditionDto, { optional: true, example: { kind: 'completion' } })
  condition: CreateConditionDto = completion();
}

export class RemoveDependencyOperationDto {
  @OneOf(['remove_dependency'])
  kind!: 'remove_dependency';
  @PlanTask()
  task!: string;
  @PlanTask()
  dependsOn!: string;
}

export class WaiveDependencyOperationDto {
  @OneOf(['waive_dependency'])
  kind!: 'waive_dependency';
  @PlanTask()
  task!: string;
  @PlanTask()
  dependsOn!: string;
}

@PartialUpdate()
export class UpdateTaskOperationDto {
  @OneOf(['update_task'])
  kind!: 'update_task';
  @PlanTask()
  task!: string;
  @Text({ visible: true, max: 20_000, optional: true })
  objective?: string;
  @NestedList(() => AcceptanceCriterionDto, { max: 20, optional: true })
  acceptanceCriteria?: AcceptanceCriterionDto[];
  @Integer({ ...PRIORITY, default: undefined, optional: true })
  priority?: number;
  @Timestamp({ optional: true })
  dueAt?: string;
}

export class CancelTaskOperationDto {
  @OneOf(['cancel_task'])
  kind!: 'cancel_task';
  @PlanTask()
  task!: string;
}

export type PlanOperationDto =
  | CreateTaskOperationDto
  | AddDependencyOperationDto
  | RemoveDependencyOperationDto
  | WaiveDependencyOperationDto
  | UpdateTaskOperationDto
  | CancelTaskOperationDto;

const OPERATIONS = {
  create_task: CreateTaskOperationDto,
  add_dependency: AddDependencyOperationDto,
  remove_dependency: RemoveDependencyOperationDto,
  waive_dependency: WaiveDependencyOperationDto,
  update_task: UpdateTaskOperationDto,
  cancel_task: CancelTaskOperationDto,
};
const EXAMPLE = [
  {
    kind: 'create_task',
    ref: 'research',
    title: 'Research',
    spec: { objective: 'Find out what customers say', inputs: [{ kind: 'text', text: 'Ask those who left' }] },
  },
  {
    kind: 'create_task',
    ref: 'report',
    title: 'Report',
    spec: { objective: 'Write it up' },
    dependsOn: [{ taskRef: 'research', condition: { kind: 'artifact', artifactKind: 'findings' } }],
  },
];

/** The operations of a plan. */
export function PlanOperationList(options: FieldOptions = {}): PropertyDecorator {
  return VariantList(OPERATIONS, { ...options, min: 1, max: MAX_OPERATIONS, example: EXAMPLE });
}

/** The plan that an agent stages. All operations apply, or none. */
export class PlannedOutcomeDto {
  @OneOf(['planned'])
  kind!: 'planned';
  @Text({ max: 4_000, example: 'Research first, then the report' })
  summary!: string;
  @Integer({
    min: 1,
    example: 1,
    description: 'The revision of the graph that the manifest shows; a plan for an older one is refused',
  })
  expectedGraphRevision!: number;
  @PlanOperationList()
  operations!: PlanOperationDto[];
}
