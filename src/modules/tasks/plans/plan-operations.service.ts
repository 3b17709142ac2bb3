import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt, type IssueRow } from '../../../kernel/errors/index.ts';
import type { Actor } from '../../organizations/index.ts';
import { unblock } from '../graph/dependents.ts';
import { dependencyStatus, waiveDependency } from '../dependencies/dependency-waiver.queries.ts';
import { toCondition } from '../creation/new-task.ts';
import { TaskCancellationService } from '../lifecycle/task-cancellation.service.ts';
import { isSelfOrAncestor } from '../lifecycle/task-cancellation.queries.ts';
import type { Edge } from '../graph/task-cycles.ts';
import { blockOn, insertEdges, type NewEdge } from '../graph/task-edges.ts';
import { plannedTask, removeDependency, reprioritizeRequest, updateTask } from './plan-operations.queries.ts';
import { TaskErrors, TaskIssues } from '../task.errors.ts';
import type { AddDependencyOperationDto, PlanOperationDto, UpdateTaskOperationDto } from './task-plan.dto.ts';
import { dependencyMoves, type DependencyStatus } from '../graph/task-dependency.state.ts';
import { hasEnded, type TaskStatus } from '../task.state.ts';

/** The context in which one operation is applied. */
export interface Step {
  readonly tx: Tx;
  /** The planning task. */
  readonly plannerId: string;
  readonly rootTaskId: string;
  /** Of the profile that plans; null for operator and chat, which touch all tasks. */
  readonly department: string | null;
  readonly actor: Actor;
  /** Of the operation, with a dot behind it. */
  readonly path: string;
  readonly idOf: (name: string) => string;
}

/** The effects of operations on dependencies. */
export interface Effects {
  readonly added: NewEdge[];
  /** Tasks that have nothing left to wait for. */
  readonly moved: string[];
}

/** Applies the operations of a plan other than creations, one at a time on tasks that are locked. */
@Injectable()
export class PlanOperationsService {
  constructor(private readonly cancellation: TaskCancellationService) {}

  async apply(step: Step, operation: PlanOperationDto, effects: Effects): Promise<void> {
    switch (operation.kind) {
      case 'create_task':
        return;
      case 'add_dependency':
        return this.add(step, operation, effects);
      case 'remove_dependency':
        return this.remove(step, await changeableEdge(step, operation), effects);
      case 'waive_dependency':
        return this.waive(step, await changeableEdge(step, operation), effects);
      case 'update_task':
        return this.update(step, operation);
      case 'cancel_task':
        return this.cancel(step, step.idOf(operation.task));
    }
  }

  private async add(step: Step, operation: AddDependencyOperationDto, { added }: Effects): Promise<void> {
    const { tx, path } = step;
    const taskId = await waitingTask(step, operation.task);
    const issues: Issue[] = [];
    const condition = toCondition(operation.condition, `${path}condition.`, issues);
    if (!condition) throw new ApiError(EdgeErrors.validationFailed, { issues });
    const edge: NewEdge = {
      taskId,
      dependsOnTaskId: step.idOf(operation.dependsOn),
      required: operation.required,
      condition,
      path: `${path}dependsOn`,
    };
    if ((await statusOfEdge(step, edge)) !== undefined) throw refusal(`${path}dependsOn`, TaskIssues.dependencyExists);
    await insertEdges(tx, [edge]);
    await blockOn(tx, [edge]);
    added.push(edge);
  }

  private async remove({ tx }: Step, { edge }: ChangeableEdge, effects: Effects): Promise<void> {
    await tx.rows(removeDependency(tx.organizationId, edge));
    effects.moved.push(...(await unblock(tx, [{ ...edge, blocks: false }])));
  }

  private async waive({ tx, path }: Step, found: ChangeableEdge, effects: Effects): Promise<void> {
    const { edge, status } = found;
    if (status === 'waived') return;
    if (dependencyMoves.after('waive', status) === undefined) throw refusal(`${path}dependsOn`, TaskIssues.notWaivable);
    await tx.rows(waiveDependency(tx.organizationId, edge));
    effects.moved.push(...(await unblock(tx, [{ ...edge, blocks: false }])));
  }

  private async update(step: Step, operation: UpdateTaskOperationDto): Promise<void> {
    const { tx } = step;
    const id = step.idOf(operation.task);
    await openTask(step, id);
    const { objective, acceptanceCriteria, priority = null, dueAt = null } = operation;
    const spec = { objective, acceptanceCriteria };
    await tx.rows(updateTask(tx.organizationId, id, { spec, priority, dueAt }));
    if (priority !== null) await tx.rows(reprioritizeRequest(tx.organizationId, id, priority));
  }

  private async cancel(step: Step, id: string): Promise<void> {
    const { tx, plannerId, actor, path } = step;
    const status = await statusIn(step, id);
    if (status === 'cancelled') return;
    if (hasEnded(status)) throw refusal(`${path}task`, TaskIssues.taskEnded);
    if ((await tx.rows(isSelfOrAncestor(tx.organizationId, id, plannerId))).length > 0)
      throw refusal(`${path}task`, TaskIssues.ownTask);
    await this.cancellation.cancel(tx, id, { actor });
  }
}

/** 409 with the place in the plan that cannot be applied. */
export function refusal(path: string, row: IssueRow, message = row.message): ApiError {
  return new ApiError(TaskErrors.planRefused, { issues: [issueAt(path, row, message)] });
}

interface ChangeableEdge {
  readonly edge: Edge;
  readonly status: DependencyStatus;
}

/** An existing dependency of a task that has neither ended nor is running. */
async function changeableEdge(
  step: Step,
  operation: { readonly task: string; readonly dependsOn: string },
): Promise<ChangeableEdge> {
  const taskId = await waitingTask(step, operation.task);
  const edge = { taskId, dependsOnTaskId: step.idOf(operation.dependsOn) };
  const status = await statusOfEdge(step, edge);
  if (status === undefined)
    throw new ApiError(EdgeErrors.validationFailed, {
      issues: [issueAt(`${step.path}dependsOn`, EdgeIssues.unknownReference, 'names no dependency of this task')],
    });
  return { edge, status };
}

/** Dependencies change for tasks that are pending or blocked only. */
async function waitingTask(step: Step, name: string): Promise<string> {
  const id = step.idOf(name);
  const status = await openTask(step, id);
  if (status === 'running') throw refusal(`${step.path}task`, TaskIssues.taskRunning);
  return id;
}

/** A task of the planner's own tree that has not ended. */
async function openTask(step: Step, id: string): Promise<TaskStatus> {
  const status = await statusIn(step, id);
  if (hasEnded(status)) throw refusal(`${step.path}task`, TaskIssues.taskEnded);
  return status;
}

/** Read anew for each operation: an earlier one may have moved it. */
async function statusIn({ tx, rootTaskId, department, path }: Step, id: string): Promise<TaskStatus> {
  const [row] = await tx.rows(plannedTask(tx.organizationId, id));
  if (row!.rootTaskId !== rootTaskId) throw refusal(`${path}task`, TaskIssues.otherTree);
  if (department !== null && row!.department !== department) throw refusal(`${path}task`, TaskIssues.otherDepartment);
  return row!.status;
}

async function statusOfEdge({ tx }: Step, edge: Edge): Promise<DependencyStatus | undefined> {
  const [row] = await tx.rows(dependencyStatus(tx.organizationId, edge));
  return row?.status;
}
