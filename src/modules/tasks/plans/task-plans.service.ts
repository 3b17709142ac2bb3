import { Injectable } from '@nestjs/common';
import { type Tx, untold } from '../../../kernel/database/index.ts';
import { ApiError, asIssues, type Issue } from '../../../kernel/errors/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import type { NewTask } from '../creation/new-task.ts';
import { type Effects, PlanOperationsService, refusal } from './plan-operations.service.ts';
import { type PreparedPlan, preparePlan } from './plan-preparation.ts';
import { readTrees } from '../lifecycle/task-cancellation.service.ts';
import { insertEdges, type NewEdge, refuseCycles, settleEnded } from '../graph/task-edges.ts';
import { TaskEndingService } from '../lifecycle/task-ending.service.ts';
import { countScopes, type TakenNumbers, takeNumbers } from '../creation/task-identifiers.ts';
import { type LockedTasks, lockGraph, lockTasks, affectedByEnd } from '../graph/task-locks.ts';
import { type LockedTask, dependentsOfTasks, rootOf } from '../graph/task-locks.queries.ts';
import type { PlannedOutcomeDto } from './task-plan.dto.ts';
import { BEGIN_TRIAL, blockOnChildren, planLimits, UNDO_TRIAL } from './task-plans.queries.ts';
import { TaskPlacementService } from '../creation/task-placement.service.ts';
import { identifierScope } from '../task.state.ts';
import { raiseGraphRevision } from '../graph/task-graph.queries.ts';
import { TaskIssues } from '../task.errors.ts';

/** The actor that plans, and its run. */
export interface Planning {
  readonly actor: Actor;
  readonly runId: string | null;
}

/** A plan whose numbers, graph and tasks this transaction holds. */
export interface LockedPlan extends PreparedPlan {
  readonly numbers: TakenNumbers;
  readonly locked: LockedTasks;
}

/** Applies plans: operations on the tree of the task that plans, all of them or none. */
@Injectable()
export class TaskPlansService {
  constructor(
    private readonly placement: TaskPlacementService,
    private readonly operations: PlanOperationsService,
    private readonly ending: TaskEndingService,
    private readonly activity: ActivityLogService,
  ) {}

  /**
   * Answers why a plan would be refused now; nothing where it would be accepted. Applies and undoes it, so that a dry
   * run says exactly what the completion would.
   */
  async check(tx: Tx, taskId: string, plan: PlannedOutcomeDto, planning: Planning): Promise<readonly Issue[]> {
    const silent = untold(tx);
    await tx.rows(BEGIN_TRIAL);
    try {
      const locks = await this.lock(silent, taskId, plan, planning);
      await this.apply(silent, locks.locked.get(taskId)!, locks, planning);
      return [];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return asIssues(error, 'operations');
    } finally {
      await tx.rows(UNDO_TRIAL);
    }
  }

  /**
   * Takes all locks up to those of tasks, in the order of locks. 400 where the plan names something unknown.
   */
  async lock(tx: Tx, taskId: string, plan: PlannedOutcomeDto, { runId }: Planning): Promise<LockedPlan> {
    const prepared = await preparePlan(tx, taskId, plan, runId);
    const { tasks, idOf } = prepared;
    const numbers = await takeNumbers(tx, countScopes(tasks.map(({ scope }) => scope)));
    await lockGraph(tx);
    const named = plan.operations.flatMap((operation) => {
      if (operation.kind === 'create_task') return [];
      return 'dependsOn' in operation ? [operation.task, operation.dependsOn] : [operation.task];
    });
    const cancelled = plan.operations.flatMap((operation) =>
      operation.kind === 'cancel_task' ? [idOf(operation.task)] : [],
    );
    const trees = await readTrees(tx, cancelled);
    const [planner] = await tx.rows(rootOf(tx.organizationId, taskId));
    const changed = [
      ...new Set([
        planner!.rootTaskId,
        taskId,
        ...named.map(idOf),
        ...tasks.flatMap(({ parentId }) => parentId ?? []),
        ...tasks.flatMap(({ edges }) => edges.map(({ dependsOnTaskId }) => dependsOnTaskId)),
      ]),
    ];
    const waiting = await tx.rows(dependentsOfTasks(tx.organizationId, changed));
    const locked = await lockTasks(
      tx,
      affectedByEnd([...changed, ...trees.around], waiting),
      trees.open.map(({ id }) => id),
    );
    return { ...prepared, numbers, locked };
  }

  /**
   * Applies a locked plan: 409 with the place that cannot be applied, where anything cannot. The planning task gets its
   * children as blockers; the caller moves its status, by whether children are open.
   */
  async apply(
    tx: Tx,
    planner: LockedTask,
    { plan, tasks, idOf, nameOf, department, numbers, locked }: LockedPlan,
    { actor }: Planning,
  ): Promise<{ readonly openChildren: boolean }> {
    const { organizationId } = tx;
    await this.refuse(tx, planner, { plan, tasks, department, locked });
    const all = await this.placement.place(tx, tasks, { numbers, locked, actor });
    // A child that fails can be replanned, so its parent does not require it.
    const toChildren = tasks.flatMap(({ id, parentId, parentPath: path }): NewEdge[] =>
      parentId === planner.id
        ? [{ taskId: planner.id, dependsOnTaskId: id, required: false, condition: { kind: 'completion' }, path }]
        : [],
    );
    const effects: Effects = { added: [...tasks.flatMap(({ edges }) => edges), ...toChildren], moved: [] };
    await insertEdges(tx, effects.added);
    for (const [index, operation] of plan.operations.entries()) {
      const path = `operations.${index}.`;
      const { id: plannerId, rootTaskId } = planner;
      const at = { tx, plannerId, rootTaskId, department, actor, path, idOf };
      await this.operations.apply(at, operation, effects);
    }
    await refuseCycles(tx, effects.added, nameOf);
    effects.moved.push(...(await settleEnded(tx, effects.added, all)));
    await tx.rows(raiseGraphRevision(organizationId, planner.rootTaskId, tasks.length));
    const [children] = await tx.rows(blockOnChildren(organizationId, planner.id));
    const created = tasks.map(({ id }) => id);
    await this.ending.proceed(tx, all, [...new Set([...created, ...effects.moved])]);
    await this.activity.record(tx, {
      actor,
      verb: 'task.planned',
      subject: { kind: 'task', id: planner.id, label: `${planner.identifier} ${planner.title}` },
      details: { operations: plan.operations.length, created: created.length },
    });
    return { openChildren: children!.open };
  }

  /** Throws 409 where the plan as a whole cannot be accepted, whatever its operations. */
  private async refuse(
    tx: Tx,
    planner: LockedTask,
    { plan, tasks, department, locked }: Pick<LockedPlan, 'plan' | 'tasks' | 'department' | 'locked'>,
  ): Promise<void> {
    const { graphRevision } = locked.get(planner.rootTaskId)!;
    if (plan.expectedGraphRevision !== graphRevision)
      throw refusal(
        'expectedGraphRevision',
        TaskIssues.staleGraphRevision,
        `the graph is at revision ${graphRevision}`,
      );
    // The first plan is none of the replans.
    if (planner.planCount > 0 && planner.planCount - 1 >= planner.maxReplans)
      throw refusal('operations', TaskIssues.replansExhausted, `the task may replan ${planner.maxReplans} times`);
    const [limits] = await tx.rows(planLimits(tx.organizationId));
    const { maxPlanOperations } = limits!;
    if (plan.operations.length > maxPlanOperations)
      throw refusal('operations', TaskIssues.tooManyOperations, `a plan has at most ${maxPlanOperations} operations`);
    const others = department === null ? undefined : tasks.find(({ scope }) => scope !== identifierScope(department));
    if (others)
      throw refusal(
        `${operationOf(others)}ownerAgentProfileKey`,
        TaskIssues.otherDepartment,
        'a department plans tasks of its own department only',
      );
    for (const { parentId, parentPath } of tasks) {
      const parent = locked.get(parentId!);
      if (parent && parent.rootTaskId !== planner.rootTaskId) throw refusal(parentPath, TaskIssues.otherTree);
    }
  }
}

/** The path of a creation in the plan, with a dot behind it. */
function operationOf({ parentPath }: NewTask): string {
  return parentPath.slice(0, -'parent'.length);
}
