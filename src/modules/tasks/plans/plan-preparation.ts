import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import {
  attachmentsIn,
  type Directory,
  type NewTask,
  ownerRefOf,
  taskRefsOf,
  toNewTask,
  unknown,
} from '../creation/new-task.ts';
import type { CreateTaskOperationDto, PlannedOutcomeDto, PlanOperationDto } from './task-plan.dto.ts';
import { plannerOf } from './task-plans.queries.ts';
import { readAttachments, readOwners, readTaskIds } from '../creation/task-references.ts';

/** A plan with every reference resolved; nothing is locked yet. */
export interface PreparedPlan {
  readonly plan: PlannedOutcomeDto;
  readonly tasks: readonly NewTask[];
  /** The id of a task by the name that an operation uses: id, identifier or ref of the plan. */
  readonly idOf: (name: string) => string;
  /** The ref of a task that the plan creates, the id of any other. */
  readonly nameOf: (id: string) => string;
  /** Of the profile that plans: a department touches its own tasks only. Null for operator and chat. */
  readonly department: string | null;
}

/** Resolves what a plan names; 400 with an issue for each name that leads to nothing. */
export async function preparePlan(
  tx: Tx,
  taskId: string,
  plan: PlannedOutcomeDto,
  runId: string | null,
): Promise<PreparedPlan> {
  const creations = plan.operations.flatMap((operation, index) =>
    operation.kind === 'create_task' ? [{ operation, path: `operations.${index}.`, id: newId() }] : [],
  );
  const refs = new Map(creations.map(({ operation, id }) => [operation.ref, id]));
  const [planner] = await tx.rows(plannerOf(tx.organizationId, taskId));
  const { department, ownerAgentProfileId, ...source } = planner!;
  // A department plans for itself, operator and chat for the operator, unless they say for whom.
  const defaultOwner = department === null ? 'operator' : ownerAgentProfileId;
  const owners = await readOwners(
    tx,
    creations.map(({ operation }) => ownerRefOf(operation, defaultOwner)),
  );
  const existing = await readTaskIds(
    tx,
    plan.operations
      .flatMap(namesOf)
      .filter((name) => !refs.has(name))
      .map(asRef),
  );
  const find = (name: string) => refs.get(name) ?? existing.get(asRef(name));
  const missing = await readAttachments(
    tx,
    creations.flatMap(({ operation }) => attachmentsIn(operation)),
  );
  const directory: Directory = { defaultOwner, owner: (idOrKey) => owners.get(idOrKey), task: find, missing };
  // What a plan creates comes from the same conversation, by this run.
  const origin = { ...source, createdByRunId: runId };
  const issues: Issue[] = [];
  const tasks = creations.flatMap(({ operation, path, id }, index) => {
    if (creations.findIndex((other) => other.operation.ref === operation.ref) < index)
      issues.push(issueAt(`${path}ref`, EdgeIssues.duplicateItem, 'names two tasks'));
    const parentId = operation.parent === undefined ? taskId : find(operation.parent);
    if (parentId === undefined) issues.push(unknown(`${path}parent`, 'task'));
    return (
      toNewTask(
        { id, details: operation, parentId: parentId ?? taskId, origin, path, parentProperty: 'parent' },
        directory,
        issues,
      ) ?? []
    );
  });
  for (const [index, operation] of plan.operations.entries()) {
    if (operation.kind === 'create_task') continue;
    const named = { task: operation.task, ...('dependsOn' in operation ? { dependsOn: operation.dependsOn } : {}) };
    for (const [property, name] of Object.entries(named))
      if (find(name) === undefined) issues.push(unknown(`operations.${index}.${property}`, 'task'));
  }
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  const refOf = new Map(creations.map(({ operation, id }) => [id, operation.ref]));
  return { plan, tasks, idOf: (name) => find(name)!, nameOf: (id) => refOf.get(id) ?? id, department };
}

/** The names of tasks in an operation. */
function namesOf(operation: PlanOperationDto): string[] {
  switch (operation.kind) {
    case 'create_task':
      return [...taskRefsOf(operation), ...parentOf(operation)];
    case 'add_dependency':
    case 'remove_dependency':
    case 'waive_dependency':
      return [operation.task, operation.dependsOn];
    case 'update_task':
    case 'cancel_task':
      return [operation.task];
  }
}

function parentOf({ parent }: CreateTaskOperationDto): string[] {
  return parent === undefined ? [] : [parent];
}

/** A ref of the plan comes first, so names keep their spelling; identifiers are upper-case. */
function asRef(name: string): string {
  return /^[a-z]{3}-\d+$/i.test(name) ? name.toUpperCase() : name;
}
