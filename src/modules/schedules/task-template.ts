import { CreateBudgetDto, CreateTaskDto, CreateTaskSpecDto, PRIORITY, type TaskInputDto } from '../tasks/index.ts';

/** What a schedule creates tasks from. */
export interface TaskTemplate {
  readonly title: string;
  readonly kind: 'task';
  readonly ownerAgentProfileKey: string;
  readonly spec: {
    readonly objective: string;
    readonly inputs: readonly TaskInputDto[];
    readonly acceptanceCriteria: readonly { readonly kind: 'text'; readonly description: string }[];
    readonly budget: {
      readonly maxAgentRuns: number;
      readonly maxAttemptsPerPhase: number;
      readonly maxReplans: number;
      readonly maxActions: number;
    };
    readonly verification: 'none' | 'required';
  };
  readonly priority: number;
  /** Whether a slot is taken while the task of the one before has not ended. */
  readonly allowOverlap: boolean;
}

/** What agents say of the tasks, all in one level. */
export interface TemplateDetails {
  readonly title: string;
  readonly objective: string;
  readonly ownerAgentProfileKey: string;
  readonly acceptanceCriteria?: readonly string[] | undefined;
  readonly priority?: number | undefined;
  readonly budget?: Partial<CreateBudgetDto> | undefined;
}

export function toTemplate(details: TemplateDetails, allowOverlap: boolean): TaskTemplate {
  const { title, objective, ownerAgentProfileKey, acceptanceCriteria, priority, budget } = details;
  return {
    title,
    kind: 'task',
    ownerAgentProfileKey,
    spec: {
      objective,
      inputs: [],
      acceptanceCriteria: toCriteria(acceptanceCriteria ?? []),
      budget: mergedBudget(new CreateBudgetDto(), budget),
      verification: 'none',
    },
    priority: priority ?? PRIORITY.default,
    allowOverlap,
  };
}

/** The template with those parts replaced that are given; of a budget, those of its limits. */
export function withDetails(
  template: TaskTemplate,
  details: Partial<TemplateDetails>,
  allowOverlap = template.allowOverlap,
): TaskTemplate {
  const { spec } = template;
  const { acceptanceCriteria, budget } = details;
  return {
    ...template,
    title: details.title ?? template.title,
    ownerAgentProfileKey: details.ownerAgentProfileKey ?? template.ownerAgentProfileKey,
    spec: {
      ...spec,
      objective: details.objective ?? spec.objective,
      acceptanceCriteria: acceptanceCriteria ? toCriteria(acceptanceCriteria) : spec.acceptanceCriteria,
      budget: mergedBudget(spec.budget, budget),
    },
    priority: details.priority ?? template.priority,
    allowOverlap,
  };
}

/** The creation of the task of one occurrence. */
export function toTaskBody({ title, ownerAgentProfileKey, spec, priority }: TaskTemplate, dedupeKey: string) {
  const { objective, inputs, acceptanceCriteria, budget, verification } = spec;
  return Object.assign(new CreateTaskDto(), {
    title,
    ownerAgentProfileKey,
    priority,
    dedupeKey,
    spec: Object.assign(new CreateTaskSpecDto(), {
      objective,
      inputs: [...inputs],
      acceptanceCriteria: [...acceptanceCriteria],
      budget: Object.assign(new CreateBudgetDto(), budget),
      verification,
    }),
  });
}

function mergedBudget(budget: CreateBudgetDto, given: Partial<CreateBudgetDto> = {}): CreateBudgetDto {
  const limits = Object.entries(given).filter(([, limit]) => limit !== undefined);
  return { ...budget, ...Object.fromEntries(limits) };
}

function toCriteria(descriptions: readonly string[]) {
  return descriptions.map((description) => ({ kind: 'text' as const, description }));
}
