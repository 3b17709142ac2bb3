import { describe, expect, it } from '@jest/globals';
import { applyPlan, planOf } from '../../support/factories/plans.ts';
import { createTask, readTask, type ShownTask } from '../../support/factories/tasks.ts';
import type { TestApp } from '../../support/test-app.ts';
import { useOrganization, useTestApp } from '../../support/use-test-app.ts';

const ROUNDS = 6;

const { app: one, owner, organization } = useOrganization();
const other = useTestApp();

/** A planner with one child that waits for nothing. */
async function tree(): Promise<{ planner: ShownTask; child: ShownTask }> {
  const { id } = await createTask(owner, organization.id);
  const create = { kind: 'create_task', ref: 'child', title: 'child', spec: { objective: 'x' } };
  await applyPlan(one, organization.id, id, planOf(1, [create]));
  const planner = await readTask(owner, organization.id, id);
  return { planner, child: await readTask(owner, organization.id, planner.state.blockers[0]!.dependsOnTaskId!) };
}

describe('two plans in two trees that would together close a cycle', () => {
  it('are accepted one, refused the other, at once on two replicas', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [left, right] = [await tree(), await tree()];
      const plan = (app: TestApp, { planner, child }: typeof left, dependsOn: ShownTask) =>
        applyPlan(
          app,
          organization.id,
          planner.id,
          planOf(planner.graphRevision, [{ kind: 'add_dependency', task: child.id, dependsOn: dependsOn.id }]),
        );
      const settled = await Promise.allSettled([plan(one, left, right.child), plan(other, right, left.child)]);
      expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const refused = settled.find((each) => each.status === 'rejected');
      expect(refused?.reason).toMatchObject({ issues: [{ code: 'cycle' }] });
    }
    expect(await cycles()).toBe(0);
  });

  it('as are longer ones through a failed dependency, which a retry would bring back', async () => {
    const [left, right] = [await tree(), await tree()];
    const middle = await createTask(owner, organization.id, { dependsOn: [{ taskRef: left.child.id }] });
    await one.db.query(`update task_dependency set status = 'failed' where task_id = $1`, [middle.id]);
    const add = (task: ShownTask, dependsOn: ShownTask) => ({
      kind: 'add_dependency',
      task: task.id,
      dependsOn: dependsOn.id,
    });
    await applyPlan(
      one,
      organization.id,
      right.planner.id,
      planOf(right.planner.graphRevision, [add(right.child, middle)]),
    );
    const closing = applyPlan(
      one,
      organization.id,
      left.planner.id,
      planOf(left.planner.graphRevision, [add(left.child, right.child)]),
    );
    await expect(closing).rejects.toMatchObject({ issues: [{ code: 'cycle' }] });
  });

  /** Tasks that wait for themselves. */
  async function cycles(): Promise<number> {
    const { rows } = await one.db.query<{ n: number }>(
      `with recursive behind (start, id) as (
         select task_id, depends_on_task_id from task_dependency where organization_id = $1
         union select b.start, d.depends_on_task_id from behind b join task_dependency d on d.organization_id = $1 and d.task_id = b.id)
       select count(*)::int as n from behind where start = id`,
      [organization.id],
    );
    return rows[0]!.n;
  }
});
