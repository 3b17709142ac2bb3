import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { applyPlan, planOf } from '../../support/factories/plans.ts';
import { createTask, readTask } from '../../support/factories/tasks.ts';
import { seedTree } from '../../support/factories/trees.ts';
import { claim, type Claimed, COMPLETED, onRun, start, startedRun } from '../../support/factories/work.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);

const cancel = (organizationId: string, taskId: string) =>
  owner.post(`/organizations/${organizationId}/tasks/${taskId}/cancel`);

/** How many tasks of a tree, with their requests, stand how. */
async function statesOf(rootId: string): Promise<unknown[]> {
  const { rows } = await app.db.query(
    `select t.status, t.version, q.status as request, count(*)::int as tasks
     from task t left join run_request q on q.organization_id = t.organization_id and q.task_id = t.id
     where t.root_task_id = $1 group by 1, 2, 3 order by 1, 2, 3`,
    [rootId],
  );
  return rows;
}

/** Limits under which many may run at once. */
async function roomyOrganization(): Promise<string> {
  const organizationId = await organizationOf(owner);
  await app.db.query('update organization_capacity set max_live_runs = 1000 where organization_id = $1', [
    organizationId,
  ]);
  await app.db.query('update profile_capacity set max_live_runs = 1000 where organization_id = $1', [organizationId]);
  return organizationId;
}

describe('a tree of 10,000 tasks', () => {
  it('is cancelled in one call, each end with its activity, while runs of other trees beat', async () => {
    const organizationId = await organizationOf(owner);
    const run = await startedRun(app, organizationId);
    const { rootId } = await seedTree(app, organizationId, { size: 10_000, children: 100 });
    const beats: number[] = [];
    const cancelled = new AbortController();
    const beating = (async () => {
      while (!cancelled.signal.aborted) {
        const before = performance.now();
        const { status } = await onRun(app, run, 'heartbeat');
        beats.push(status === 200 ? performance.now() - before : Infinity);
      }
    })();
    const { status, body } = await cancel(organizationId, rootId);
    cancelled.abort();
    await beating;
    expect([status, body.data.status]).toEqual([200, 'cancelled']);
    expect(beats.every(Number.isFinite)).toBe(true);
    expect(await statesOf(rootId)).toEqual([{ status: 'cancelled', version: 2, request: 'cancelled', tasks: 10_001 }]);
    const { rows } = await app.db.query(
      `select count(*)::int as entries, count(distinct a.subject_id)::int as tasks, min(a.subject_label) as label
       from activity a where a.organization_id = $1 and a.verb = 'task.cancelled'`,
      [organizationId],
    );
    expect(rows).toEqual([{ entries: 10_001, tasks: 10_001, label: expect.stringMatching(/^T-\d+ A task$/) }]);
    // Task by task it took longer than a transaction may.
  }, 60_000);

  it('starts nothing after the answer, whoever holds claims', async () => {
    const organizationId = await roomyOrganization();
    const { rootId } = await seedTree(app, organizationId, { size: 300, scheduledAt: 'null' });
    const claims: Claimed[] = [];
    for (let n = 0; n < 4; n += 1) {
      const workerId = `worker-${n}`;
      claims.push(...(await claim(app, organizationId, { limit: 50, workerId })).body.data);
    }
    expect(claims.length).toBe(200);
    const starting = claims.slice(0, 150).map((claimed) => start(app, claimed));
    expect((await cancel(organizationId, rootId)).status).toBe(200);
    const late = await Promise.all(claims.slice(150).map((claimed) => start(app, claimed)));
    expect(late.map(({ status, body }) => [status, body.error.code])).toEqual(
      late.map(() => [409, 'run_lease_expired']),
    );
    const early = await Promise.all(starting);
    expect(early.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect((await claim(app, organizationId, { limit: 50 })).body.data).toEqual([]);
    // What had started before is asked to stop, and nothing else runs.
    const { rows } = await app.db.query(
      `select count(*) filter (where r.cancel_requested_at is null or r.created_at > t.completed_at)::int as wrong, count(*)::int as runs
       from run r join task t on t.organization_id = r.organization_id and t.id = r.task_id where t.root_task_id = $1`,
      [rootId],
    );
    expect(rows[0]).toEqual({ wrong: 0, runs: early.filter(({ status }) => status === 200).length });
    const open = await app.db.query(
      `select from task where root_task_id = $1 and status in ('pending', 'running', 'blocked')`,
      [rootId],
    );
    expect(open.rowCount).toBe(0);
  });

  it('is cancelled as a part of a plan too', async () => {
    const organizationId = await organizationOf(owner);
    const planner = await createTask(owner, organizationId, { phase: 'plan' });
    const { rootId, descendantIds } = await seedTree(app, organizationId, { size: 1_500, children: 30 });
    await app.db.query(
      `update task set root_task_id = $2, parent_id = coalesce(parent_id, $2) where root_task_id = $1`,
      [rootId, planner.id],
    );
    await applyPlan(
      app,
      organizationId,
      planner.id,
      planOf(planner.graphRevision, [{ kind: 'cancel_task', task: rootId }]),
    );
    const { rows } = await app.db.query(
      'select status, count(*)::int as tasks from task where id = any($1) group by 1',
      [[rootId, ...descendantIds]],
    );
    expect(rows).toEqual([{ status: 'cancelled', tasks: 1_501 }]);
    expect((await readTask(owner, organizationId, planner.id)).status).toBe('pending');
  });

  it('settles those outside that wait for it: some at once, the others by the sweep', async () => {
    const organizationId = await organizationOf(owner);
    const { rootId, descendantIds } = await seedTree(app, organizationId, { size: 400 });
    const { descendantIds: waiting } = await seedTree(app, organizationId, { size: 400 });
    // Each waits for one of the tree; every other one can do without it.
    await app.db.query(
      `insert into task_dependency (organization_id, task_id, depends_on_task_id, required, condition)
       select $1, w.id, w.prerequisite, w.place % 2 = 0, '{"kind":"completion"}'
       from unnest($2::uuid[], $3::uuid[]) with ordinality w(id, prerequisite, place)`,
      [organizationId, waiting, descendantIds],
    );
    await app.db.query(
      `with superseded as (
         update run_request set status = 'superseded' where organization_id = $1 and task_id = any($2))
       update task t set status = 'blocked', blockers = jsonb_build_array(jsonb_build_object('kind', 'dependency',
         'dependsOnTaskId', d.depends_on_task_id, 'since', '2026-01-01T00:00:00.000000Z'))
       from task_dependency d where t.organization_id = $1 and t.id = any($2) and d.organization_id = $1 and d.task_id = t.id`,
      [organizationId, waiting],
    );
    expect((await cancel(organizationId, rootId)).status).toBe(200);
    const outside = async () =>
      (
        await app.db.query(
          `select t.status, d.status as edge, count(*)::int as tasks from task t
           join task_dependency d on d.organization_id = t.organization_id and d.task_id = t.id
           where t.organization_id = $1 and t.id = any($2) group by 1, 2 order by 1, 2`,
          [organizationId, waiting],
        )
      ).rows;
    expect(await outside()).toEqual([
      { status: 'blocked', edge: 'failed', tasks: 100 },
      { status: 'blocked', edge: 'pending', tasks: 200 },
      { status: 'pending', edge: 'failed', tasks: 100 },
    ]);
    await app.runJob('task-dependents');
    expect(await outside()).toEqual([
      { status: 'blocked', edge: 'failed', tasks: 200 },
      { status: 'pending', edge: 'failed', tasks: 200 },
    ]);
    const { rows } = await app.db.query(
      `select count(*)::int as open from run_request where organization_id = $1 and task_id = any($2) and status = 'queued'`,
      [organizationId, waiting],
    );
    expect(rows).toEqual([{ open: 200 }]);
  });
});

describe('310 linked tasks that are cancelled one by one, many at once and amid completions', () => {
  it('end without an error, and none is left', async () => {
    const organizationId = await roomyOrganization();
    const { rootId, descendantIds } = await seedTree(app, organizationId, { size: 310, scheduledAt: 'null' });
    // A chain in threes: two wait for the one before them.
    await app.db.query(
      `insert into task_dependency (organization_id, task_id, depends_on_task_id, required, condition)
       select $1, w.id, w.behind, false, '{"kind":"completion"}'
       from (select id, lag(id) over (order by place) as behind, place from unnest($2::uuid[]) with ordinality t(id, place)) w
       where w.behind is not null and w.place % 3 <> 1`,
      [organizationId, descendantIds],
    );
    const claims: Claimed[] = (await claim(app, organizationId, { limit: 50 })).body.data;
    const runs = await Promise.all(
      claims.map(async (claimed) => {
        const runId = randomUUID();
        expect((await start(app, claimed, { runId })).status).toBe(200);
        return Object.assign(claimed, { runId });
      }),
    );
    const calls = [
      ...descendantIds.map((id) => () => cancel(organizationId, id)),
      ...runs.map((run) => () => onRun(app, run, 'complete', COMPLETED)),
    ];
    // Each worker takes the next of the shuffled calls: more at once would wait for connections and not for each other.
    const queue = calls.map((call, place) => ({ call, place: (place * 7) % 11 })).toSorted((x, y) => x.place - y.place);
    const answers: number[] = [];
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        for (let next = queue.pop(); next; next = queue.pop()) answers.push((await next.call()).status);
      }),
    );
    expect([...new Set(answers)].filter((status) => status !== 200 && status !== 409)).toEqual([]);
    // Unless the root was among those that completed.
    expect([200, 409]).toContain((await cancel(organizationId, rootId)).status);
    const { rows } = await app.db.query(
      `select count(*)::int as tasks, count(*) filter (where status not in ('completed', 'cancelled'))::int as open
       from task where root_task_id = $1`,
      [rootId],
    );
    expect(rows).toEqual([{ tasks: 311, open: 0 }]);
    const requests = await app.db.query(
      `select from run_request where organization_id = $1 and status in ('queued', 'claimed', 'running')`,
      [organizationId],
    );
    expect(requests.rowCount).toBe(0);
  }, 60_000);
});
