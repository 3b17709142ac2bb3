import {
  Flag,
  Integer,
  Name,
  Nested,
  NestedList,
  OneOf,
  Slug,
  Text,
  Timestamp,
  Uuid,
  VariantList,
} from '../../../kernel/validation/index.ts';
import { AcceptanceCriterionDto } from '../task.dto.ts';
import { INPUTS, type TaskInputDto } from '../task-input.dto.ts';
import { TaskRef } from '../task-ref.ts';
import { PRIORITY, type Verification, VERIFICATIONS } from '../task.state.ts';

export class CreateBudgetDto {
  @Integer({
    min: 1,
    max: 1_000,
    optional: true,
    default: 20,
    description: 'Most runs over the whole life of the task',
  })
  maxAgentRuns = 20;
  @Integer({ min: 1, max: 100, optional: true, default: 3, description: 'Most failed attempts within a phase' })
  maxAttemptsPerPhase = 3;
  @Integer({ max: 100, optional: true, default: 3, description: 'Most accepted plans after the first' })
  maxReplans = 3;
  @Integer({ max: 1_000, optional: true, default: 20, description: 'Most actions that the task may propose' })
  maxActions = 20;
}

export class CreateTaskSpecDto {
  @Text({ visible: true, max: 20_000, example: 'Find out why checkout fails on mobile and mend it' })
  objective!: string;
  @VariantList(INPUTS, { max: 50, optional: true, example: [{ kind: 'text', text: 'Checkout fails since Monday' }] })
  inputs: TaskInputDto[] = [];
  @NestedList(() => AcceptanceCriterionDto, {
    max: 20,
    optional: true,
    example: [{ kind: 'text', description: 'The page loads within two seconds' }],
  })
  acceptanceCriteria: AcceptanceCriterionDto[] = [];
  @Nested(() => CreateBudgetDto, { optional: true, example: { maxAgentRuns: 20 } })
  budget: CreateBudgetDto = new CreateBudgetDto();
  @OneOf(VERIFICATIONS, { optional: true, default: 'none', description: 'Whether another run verifies the result' })
  verification: Verification = 'none';
}

export class CreateConditionDto {
  @OneOf(['completion', 'artifact'], {
    description: 'The prerequisite completes, or it completes with an artifact of a kind',
  })
  kind!: 'completion' | 'artifact';
  @Slug({ kinds: ['artifact'], description: 'The kind of the artifact' })
  artifactKind?: string;
}

/** An instance, as what is validated must be. */
export function completion(): CreateConditionDto {
  return Object.assign(new CreateConditionDto(), { kind: 'completion' as const });
}

export class CreateDependencyDto {
  @TaskRef({ description: 'The prerequisite: the id of a task, or its identifier such as `ENG-7`' })
  taskRef!: string;
  @Flag({ optional: true, default: true, description: 'Whether its failure blocks this task' })
  required = true;
  @Nested(() => CreateConditionDto, {
    optional: true,
    example: { kind: 'completion' },
    description: 'When it counts as satisfied; by default when the prerequisite completes',
  })
  condition: CreateConditionDto = completion();
}

/** The fields of a task that owners, agents and plans give alike. */
export class TaskDetailsDto {
  @Name({ example: 'Mend the checkout on mobile' })
  title!: string;
  @Nested(() => CreateTaskSpecDto)
  spec!: CreateTaskSpecDto;
  @Uuid({
    optional: true,
    description: 'The profile that does the task; the operator when neither id nor key is given',
  })
  ownerAgentProfileId?: string;
  @Slug({ optional: true, description: 'The key of that profile, in place of its id' })
  ownerAgentProfileKey?: string;
  @OneOf(['plan', 'execute'], { optional: true, default: 'execute' })
  phase: 'plan' | 'execute' = 'execute';
  @Integer({ ...PRIORITY, optional: true, description: 'Higher goes first' })
  priority: number = PRIORITY.default;
  @Timestamp({ optional: true, description: 'The task starts no earlier than this' })
  scheduledAt?: string;
  @Timestamp({ optional: true })
  dueAt?: string;
}

/** The fields that agents give: they create roots, and children by plans. */
export class CreateRootTaskDto extends TaskDetailsDto {
  @NestedList(() => CreateDependencyDto, { max: 50, optional: true, example: [] })
  dependsOn: CreateDependencyDto[] = [];
  @Text({
    max: 200,
    optional: true,
    description: 'Unique among tasks that have not ended: a second creation answers with the first task',
  })
  dedupeKey?: string;
}

export class CreateTaskDto extends CreateRootTaskDto {
  @TaskRef({
    optional: true,
    description: 'The parent: the id of a task, or its identifier such as `ENG-7`',
    example: undefined,
  })
  parentRef?: string;
}
