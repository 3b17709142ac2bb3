import { expect, it } from '@jest/globals';
import { createTask, endTask, readTask } from '../../support/factories/tasks.ts';
import { seedTree } from '../../support/factories/trees.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const DEPENDENTS = 450;

// The sweep looks across organizations, so others' must not be there.
const { app, owner, organization } = useOrganization({ ownDatabase: true });
let prerequisite: string;

/** A failed task that many are blocked on. */
async function failedWithDependents(): Promise<void> {
  prerequisite = (await createTask(owner, organization.id)).id;
  const { descendantIds } = await seedTree(app, organization.id, { size: DEPENDENTS });
  await app.db.query(
    `with superseded as (
       update run_request set status = 'superseded' where organization_id = $1 and task_id = any($3)),
     edges as (
       insert into task_dependency (organization_id, task_id, depends_on_task_id, condition)
       select $1, t.id, $2, '{"kind":"completion"}' from unnest($3::uuid[]) t(id))
     update task t set status = 'blocked', blockers = jsonb_build_array(jsonb_build_object('kind', 'dependency',
       'dependsOnTaskId', $2::text, 'since', '2026-01-01T00:00:00.000000Z'))
     where t.organization_id = $1 and t.id = any($3)`,
    [organization.id, prerequisite, descendantIds],
  );
  await endTask(app, organization.id, prerequisite, 'failed');
  await app.runJob('task-dependents');
  expect(await edges()).toEqual([{ status: 'failed', blocker: 'dependency_failed', tasks: DEPENDENTS }]);
}

async function edges(): Promise<unknown[]> {
  const { rows } = await app.db.query(
    `select d.status, t.blockers->0->>'kind' as blocker, count(*)::int as tasks
     from task_dependency d join task t on t.organization_id = d.organization_id and t.id = d.task_id
     where d.organization_id = $1 and d.depends_on_task_id = $2 group by 1, 2 order by 1, 2`,
    [organization.id, prerequisite],
  );
  return rows;
}

const retry = () => owner.post(`/organizations/${organization.id}/tasks/${prerequisite}/retry`);

it('a retry lets some dependents wait again at once, and the sweep the others', async () => {
  await failedWithDependents();
  expect((await retry()).status).toBe(200);
  expect(await edges()).toEqual([
    { status: 'failed', blocker: 'dependency_failed', tasks: DEPENDENTS - 200 },
    { status: 'pending', blocker: 'dependency', tasks: 200 },
  ]);
  await app.runJob('task-dependents');
  expect(await edges()).toEqual([{ status: 'pending', blocker: 'dependency', tasks: DEPENDENTS }]);
});

it('dependents that a retry did not reach before its task completed go on with it', async () => {
  await failedWithDependents();
  expect((await retry()).status).toBe(200);
  await endTask(app, organization.id, prerequisite);
  await app.runJob('task-dependents');
  expect(await edges()).toEqual([{ status: 'satisfied', blocker: null, tasks: DEPENDENTS }]);
  expect((await readTask(owner, organization.id, prerequisite)).status).toBe('completed');
  const { rows } = await app.db.query(
    `select count(*)::int as queued, (select count(*)::int from task where dependents_unsettled) as left
     from run_request q join task_dependency d on d.organization_id = q.organization_id and d.task_id = q.task_id
     where d.depends_on_task_id = $1 and q.status = 'queued'`,
    [prerequisite],
  );
  expect(rows).toEqual([{ queued: DEPENDENTS, left: 0 }]);
});
