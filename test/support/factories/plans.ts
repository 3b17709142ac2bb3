import { sql } from '../../../src/kernel/database/index.ts';
import { ValidationPipe } from '../../../src/kernel/validation/index.ts';
import { lockTasks, PlannedOutcomeDto, TaskPlansService } from '../../../src/modules/tasks/index.ts';
import type { TestApp } from '../test-app.ts';
import { inOrganization } from './tasks.ts';

const PLANNING = { actor: { kind: 'system', name: 'test' }, runId: null } as const;

/** A plan as a runtime stages it, validated as a body is. */
export function planOf(expectedGraphRevision: number, operations: readonly object[]): PlannedOutcomeDto {
  const body = { kind: 'planned', summary: 'A plan', expectedGraphRevision, operations };
  return new ValidationPipe().transform(structuredClone(body), {
    type: 'body',
    metatype: PlannedOutcomeDto,
  }) as PlannedOutcomeDto;
}

/** Lets a task run and end its run in a plan, as a completion does; answers whether children are open. */
export async function applyPlan(
  app: TestApp,
  organizationId: string,
  taskId: string,
  plan: PlannedOutcomeDto,
): Promise<boolean> {
  const plans = app.app.get(TaskPlansService);
  return inOrganization(app, organizationId, async (tx) => {
    const locks = await plans.lock(tx, taskId, plan, PLANNING);
    await tx.rows(run(organizationId, taskId));
    const planner = (await lockTasks(tx, [taskId])).get(taskId)!;
    const { openChildren } = await plans.apply(tx, planner, locks, PLANNING);
    await tx.rows(
      sql`update task set status = ${openChildren ? 'blocked' : 'pending'}, phase = 'execute', version = version + 1
          where organization_id = ${organizationId} and id = ${taskId}`,
    );
    return openChildren;
  });
}

/** Paths and codes of what stands in the way of a plan. */
export async function checkPlan(
  app: TestApp,
  organizationId: string,
  taskId: string,
  plan: PlannedOutcomeDto,
): Promise<string[]> {
  const issues = await inOrganization(app, organizationId, (tx) =>
    app.app.get(TaskPlansService).check(tx, taskId, plan, PLANNING),
  );
  return issues.map(({ path, code }) => `${path}: ${code}`);
}

/** The task is running; its request is out of the way. */
function run(organizationId: string, taskId: string) {
  return sql`
    with request as (
      update run_request set status = 'completed'
      where organization_id = ${organizationId} and task_id = ${taskId} and status in ('queued', 'claimed'))
    update task set status = 'running', blockers = '[]' where organization_id = ${organizationId} and id = ${taskId}`;
}
