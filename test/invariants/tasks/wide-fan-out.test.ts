import { describe, expect, it } from '@jest/globals';
import { createTask, endTask } from '../../support/factories/tasks.ts';
import { TestApp } from '../../support/test-app.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const DEPENDENTS = 600;

const { app, owner, organization } = useOrganization({ ownDatabase: true });

describe('a task with 600 dependents', () => {
  it('ends quickly, and the sweep settles every one exactly once', async () => {
    const prerequisite = await createTask(owner, organization.id);
    for (let n = 0; n < DEPENDENTS; n += 20)
      await Promise.all(
        Array.from({ length: 20 }, () =>
          createTask(owner, organization.id, { dependsOn: [{ taskRef: prerequisite.id }] }),
        ),
      );
    const states = async () =>
      (
        await app.db.query(
          `select t.status, d.status as edge, count(*)::int as tasks, sum((select count(*) from run_request q where q.task_id = t.id))::int as requests
           from task_dependency d join task t on t.id = d.task_id where d.depends_on_task_id = $1 group by 1, 2 order by 1, 2`,
          [prerequisite.id],
        )
      ).rows;
    expect(await states()).toEqual([{ status: 'blocked', edge: 'pending', tasks: DEPENDENTS, requests: 0 }]);
    const before = performance.now();
    await endTask(app, organization.id, prerequisite.id);
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(await states()).toEqual([
      { status: 'blocked', edge: 'pending', tasks: 400, requests: 0 },
      { status: 'pending', edge: 'satisfied', tasks: 200, requests: 200 },
    ]);
    // Two replicas at once.
    const other = await TestApp.start({ databaseUrl: app.databaseUrl });
    await Promise.all([app.runJob('task-dependents'), other.runJob('task-dependents')]);
    await other.close();
    expect(await states()).toEqual([{ status: 'pending', edge: 'satisfied', tasks: DEPENDENTS, requests: DEPENDENTS }]);
    const { rows } = await app.db.query('select dependents_unsettled as unsettled from task where id = $1', [
      prerequisite.id,
    ]);
    expect(rows).toEqual([{ unsettled: false }]);
  }, 60_000);
});
