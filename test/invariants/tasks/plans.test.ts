import { beforeAll, describe, expect, it } from '@jest/globals';
import { applyPlan, checkPlan, planOf } from '../../support/factories/plans.ts';
import { createTask, endTask, readTask, requestsOf, type ShownTask } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();

const create = (ref: string, more: object = {}) => ({
  kind: 'create_task',
  ref,
  title: ref,
  spec: { objective: ref },
  ...more,
});
const read = (id: string) => readTask(owner, organization.id, id);
const apply = (task: ShownTask, operations: object[], revision?: number) =>
  planned(async () => {
    const { graphRevision } = await read(task.id);
    return applyPlan(app, organization.id, task.id, planOf(revision ?? graphRevision, operations));
  });
/** The answer of a plan, or the places that refused it. */
async function planned(work: () => Promise<boolean>): Promise<boolean | string[]> {
  try {
    return await work();
  } catch (error) {
    const { issues } = error as { issues?: { path: string; code: string }[] };
    if (!issues) throw error;
    return issues.map(({ path, code }) => `${path}: ${code}`);
  }
}
interface Graph {
  readonly tasks: (ShownTask & { readonly title: string; readonly parentId: string | null; readonly depth: number })[];
  readonly dependencies: { taskId: string; dependsOnTaskId: string; status: string; required: boolean }[];
}
async function graph(id: string): Promise<Graph> {
  return (await owner.get(`/organizations/${organization.id}/tasks/${id}/graph`)).body.data as Graph;
}
async function child(of: ShownTask, title: string) {
  return (await graph(of.id)).tasks.find((task) => task.title === title)!;
}

describe('an accepted plan', () => {
  it('makes children that refer to each other, and blocks its task on them', async () => {
    const planner = await createTask(owner, organization.id, { phase: 'plan' });
    const open = await apply(planner, [
      // `second` is created behind the one that names it.
      create('first', { dependsOn: [{ taskRef: 'second' }] }),
      create('second', { ownerAgentProfileKey: 'growth' }),
      create('below', { parent: 'second' }),
    ]);
    expect(open).toBe(true);
    const { tasks, dependencies } = await graph(planner.id);
    const [first, second, below] = ['first', 'second', 'below'].map((title) =>
      tasks.find((task) => task.title === title)!,
    );
    expect(first).toMatchObject({ parentId: planner.id, depth: 1, status: 'blocked' });
    expect(second).toMatchObject({ parentId: planner.id, depth: 1, status: 'pending', identifier: 'GRO-1' });
    expect(below).toMatchObject({ parentId: second!.id, depth: 2, status: 'pending' });
    expect(await requestsOf(app, second!.id)).toEqual(['queued']);
    const waiting = await read(planner.id);
    expect(waiting).toMatchObject({ status: 'blocked', graphRevision: 2 });
    const waitsFor = new Set(waiting.state.blockers.map(({ dependsOnTaskId }) => dependsOnTaskId));
    expect(waitsFor).toEqual(new Set([first!.id, second!.id]));
    const toChildren = dependencies.filter(({ taskId }) => taskId === planner.id);
    expect(toChildren.map(({ dependsOnTaskId }) => dependsOnTaskId).sort()).toEqual([first!.id, second!.id].sort());
    expect(toChildren.map(({ required }) => required)).toEqual([false, false]);

    // Each settled child goes from the blockers; the last one lets the parent run again.
    await endTask(app, organization.id, second!.id);
    expect(await read(first!.id)).toMatchObject({ status: 'pending' });
    await endTask(app, organization.id, first!.id, 'failed');
    expect(await read(planner.id)).toMatchObject({ status: 'pending', state: { blockers: [] } });
    expect(await requestsOf(app, planner.id)).toEqual(['completed', 'queued']);
  });

  it('changes what is there: dependencies, tasks, their ends', async () => {
    const outside = await createTask(owner, organization.id);
    const planner = await createTask(owner, organization.id);
    await apply(planner, [create('a'), create('b', { dependsOn: [{ taskRef: 'a' }] }), create('c'), create('d')]);
    const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((title) => child(planner, title)));
    const open = await apply(planner, [
      { kind: 'remove_dependency', task: b!.id, dependsOn: a!.identifier.toLowerCase() },
      { kind: 'add_dependency', task: c!.identifier, dependsOn: outside.identifier },
      { kind: 'update_task', task: b!.id, objective: 'Something else', priority: 7, dueAt: '2999-01-01T00:00:00Z' },
      { kind: 'cancel_task', task: d!.id },
    ]);
    expect(open).toBe(true);
    expect(await read(b!.id)).toMatchObject({
      status: 'pending',
      priority: 7,
      dueAt: '2999-01-01T00:00:00.000000Z',
      spec: { objective: 'Something else', acceptanceCriteria: [] },
    });
    expect(await requestsOf(app, b!.id)).toEqual(['queued']);
    // Its request moved on, and a claim of it would be refused at the start.
    expect(await read(c!.id)).toMatchObject({ status: 'blocked' });
    expect(await requestsOf(app, c!.id)).toEqual(['superseded']);
    expect(await read(d!.id)).toMatchObject({ status: 'cancelled' });
    expect((await read(planner.id)).state.blockers).toHaveLength(3);
    const waived = await apply(planner, [{ kind: 'waive_dependency', task: c!.id, dependsOn: outside.id }]);
    expect(waived).toBe(true);
    expect(await requestsOf(app, c!.id)).toEqual(['superseded', 'queued']);
    expect(await read(planner.id)).toMatchObject({ replanCount: 2, graphRevision: 4 });
  });

  it('leaves its task without open children free to run', async () => {
    const planner = await createTask(owner, organization.id);
    await apply(planner, [create('only')]);
    expect(await apply(planner, [{ kind: 'cancel_task', task: (await child(planner, 'only')).id }])).toBe(false);
    expect(await read(planner.id)).toMatchObject({ status: 'pending' });
  });
});

describe('a plan that is refused', () => {
  let planner: ShownTask;
  let other: ShownTask;
  let ended: ShownTask;
  let running: ShownTask;
  beforeAll(async () => {
    other = await createTask(owner, organization.id);
    planner = await createTask(owner, organization.id);
    await apply(planner, [create('ended'), create('running'), create('waiting'), create('limit')]);
    [ended, running] = [await child(planner, 'ended'), await child(planner, 'running')];
    await endTask(app, organization.id, ended.id);
    await app.db.query(`update task set status = 'running' where id = $1`, [running.id]);
  });

  it.each<[string, (at: Record<string, string>) => object[], string[]]>([
    ['a name of nothing', () => [{ kind: 'cancel_task', task: 'nothing' }], ['operations.0.task: unknown_reference']],
    ['an unknown parent', () => [create('x', { parent: 'nothing' })], ['operations.0.parent: unknown_reference']],
    [
      'an unknown prerequisite',
      () => [create('x', { dependsOn: [{ taskRef: 'y' }] })],
      ['operations.0.dependsOn.0.taskRef: unknown_reference'],
    ],
    [
      'an unknown owner',
      () => [create('x', { ownerAgentProfileKey: 'y' })],
      ['operations.0.ownerAgentProfileKey: unknown_reference'],
    ],
    ['one ref for two tasks', () => [create('x'), create('x')], ['operations.1.ref: duplicate_item']],
    [
      'a task of another tree',
      ({ other }) => [{ kind: 'update_task', task: other, priority: 1 }],
      ['operations.0.task: other_tree'],
    ],
    ['a child in another tree', ({ other }) => [create('x', { parent: other })], ['operations.0.parent: other_tree']],
    [
      'an ended task',
      ({ ended }) => [{ kind: 'update_task', task: ended, priority: 1 }],
      ['operations.0.task: task_ended'],
    ],
    [
      'a dependency of a running task',
      ({ running, other }) => [{ kind: 'add_dependency', task: running, dependsOn: other }],
      ['operations.0.task: task_running'],
    ],
    [
      'a dependency of its own',
      ({ planner, other }) => [{ kind: 'add_dependency', task: planner, dependsOn: other }],
      ['operations.0.task: task_running'],
    ],
    [
      'its own cancellation',
      ({ planner }) => [{ kind: 'cancel_task', task: planner }],
      ['operations.0.task: own_task'],
    ],
    [
      'a dependency that is not there',
      ({ waiting, other }) => [{ kind: 'remove_dependency', task: waiting, dependsOn: other }],
      ['operations.0.dependsOn: unknown_reference'],
    ],
    [
      'a dependency twice',
      ({ waiting, other }) => [
        { kind: 'add_dependency', task: waiting, dependsOn: other },
        { kind: 'add_dependency', task: waiting, dependsOn: other },
      ],
      ['operations.1.dependsOn: dependency_exists'],
    ],
    [
      'a dependency on itself',
      ({ waiting }) => [{ kind: 'add_dependency', task: waiting, dependsOn: waiting }],
      ['operations.0.dependsOn: cycle'],
    ],
    [
      'a child that waits for its parent',
      ({ planner }) => [create('x', { dependsOn: [{ taskRef: planner }] })],
      ['operations.0.dependsOn.0.taskRef: cycle'],
    ],
    [
      'a cycle of new tasks',
      () => [create('x', { dependsOn: [{ taskRef: 'y' }] }), create('y', { dependsOn: [{ taskRef: 'x' }] })],
      ['operations.0.dependsOn.0.taskRef: cycle'],
    ],
    [
      'tasks that are each other’s parents',
      () => [create('x', { parent: 'y' }), create('y', { parent: 'x' })],
      ['operations.0.parent: cycle'],
    ],
    [
      'a child of a task that has ended',
      ({ ended }) => [create('x', { parent: ended })],
      ['operations.0.parent: parent_ended'],
    ],
    [
      'a task too deep',
      () =>
        [1, 2, 3, 4]
          .map((n) => create(`x${n}`, n === 1 ? {} : { parent: `x${n - 1}` }))
          .concat(create('x5', { parent: 'x4' })),
      ['operations.4.parent: too_deep'],
    ],
    [
      'too many operations',
      () => Array.from({ length: 26 }, (_, n) => create(`x${n}`)),
      ['operations: too_many_operations'],
    ],
  ])('for %s changes nothing, and a check says the same', async (_what, operations, expected) => {
    const names = {
      planner: planner.id,
      other: other.id,
      ended: ended.id,
      running: running.id,
      waiting: (await child(planner, 'waiting')).id,
    };
    const before = await everything();
    const { graphRevision } = await read(planner.id);
    const plan = planOf(
      graphRevision,
      [create('first'), ...operations(names)].slice(operations(names).length > 20 ? 1 : 0),
    );
    const shifted = expected.map((each) =>
      each.replace(/operations\.(\d+)/, (_, n: string) => `operations.${Number(n) + 1}`),
    );
    await app.db.query(`update task set status = 'running' where id = $1`, [planner.id]);
    expect(await checkPlan(app, organization.id, planner.id, plan)).toEqual(shifted);
    await app.db.query(`update task set status = 'blocked' where id = $1`, [planner.id]);
    expect(await planned(() => applyPlan(app, organization.id, planner.id, plan))).toEqual(shifted);
    expect(await everything()).toEqual(before);
  });

  it('for a cycle names its tasks in order: by ref those of the plan, by id the others', async () => {
    const waiting = await child(planner, 'waiting');
    const { graphRevision } = await read(planner.id);
    const plan = planOf(graphRevision, [
      create('x', { dependsOn: [{ taskRef: 'y' }] }),
      create('y', { dependsOn: [{ taskRef: waiting.id }] }),
      { kind: 'add_dependency', task: waiting.id, dependsOn: 'x' },
    ]);
    await expect(applyPlan(app, organization.id, planner.id, plan)).rejects.toMatchObject({
      issues: [
        {
          code: 'cycle',
          message: `closes a cycle through x, y, ${waiting.id}`,
          params: { tasks: ['x', 'y', waiting.id] },
        },
      ],
    });
  });

  it('for a graph that has moved on, or too many replans', async () => {
    expect(await apply(planner, [create('x')], 1)).toEqual(['expectedGraphRevision: stale_graph_revision']);
    const once = await createTask(owner, organization.id, {
      spec: { objective: 'x', budget: { maxReplans: 0 } },
    });
    expect(await apply(once, [create('x')])).toBe(true);
    expect(await apply(once, [create('y')])).toEqual(['operations: replans_exhausted']);
  });

  /** Tasks, dependencies, requests and numbers, without times. */
  async function everything(): Promise<unknown> {
    const { rows } = await app.db.query(
      `select (select jsonb_agg(to_jsonb(t) - 'updated_at' order by id) from task t where organization_id = $1) as tasks,
              (select jsonb_agg(to_jsonb(d) order by task_id, depends_on_task_id) from task_dependency d where organization_id = $1) as edges,
              (select jsonb_agg(to_jsonb(q) order by id) from run_request q where organization_id = $1) as requests,
              (select jsonb_agg(to_jsonb(i) order by scope) from task_identifier i where organization_id = $1) as numbers`,
      [organization.id],
    );
    return rows[0];
  }
});

it('gives what a department plans to its own profile, unless the plan names an owner', async () => {
  const planner = await createTask(owner, organization.id, { ownerAgentProfileKey: 'growth' });
  await apply(planner, [create('own'), create('named', { ownerAgentProfileKey: 'growth' })]);
  const ofOperator = await createTask(owner, organization.id);
  await apply(ofOperator, [create('free')]);
  const { rows } = await app.db.query(
    `select t.title, p.key from task t join agent_profile p on p.organization_id = t.organization_id and p.id = t.owner_agent_profile_id
     where t.root_task_id = any($1) and t.parent_id is not null order by t.title`,
    [[planner.id, ofOperator.id]],
  );
  expect(rows).toEqual([
    { title: 'free', key: 'operator' },
    { title: 'named', key: 'growth' },
    { title: 'own', key: 'growth' },
  ]);
});
