import { beforeAll, expect, it } from '@jest/globals';
import { SCAN_START, stuckTasks } from '../../../src/modules/tasks/lifecycle/liveness.queries.ts';
import { organizationOf } from '../../support/client.ts';
import { explain, nodes } from '../../support/database/query-plans.ts';
import { queueTasks } from '../../support/factories/work.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const TASKS = 120;

const app = useTestApp({ ownDatabase: true });

beforeAll(async () => {
  const organizationId = await organizationOf(await app.person());
  await queueTasks(app, organizationId, 1);
  await app.db.query('vacuum analyze');
  await queueTasks(app, organizationId, TASKS - 1);
  await app.db.query(`update task set updated_at = clock_timestamp() - interval '1 minute'`);
}, 60_000);

it.each([true, false])('the look for tasks without a mover reads one request a task (generic: %s)', async (generic) => {
  const all = [...nodes(await explain(app, stuckTasks(SCAN_START, undefined), generic))];
  const requests = all.filter((node) => node['Relation Name'] === 'run_request');
  expect(requests.length).toBeGreaterThan(0);
  const read = requests.reduce((sum, node) => sum + node['Actual Rows']! * node['Actual Loops']!, 0);
  expect(read).toBe(TASKS);
  for (const node of requests) expect(node['Node Type']).toMatch(/^Index/);
});
