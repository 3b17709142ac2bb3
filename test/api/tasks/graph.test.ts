import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { seedTree } from '../../support/factories/trees.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();

const graph = async (ref: string) =>
  (await owner.get(`/organizations/${organization.id}/tasks/${ref}/graph`)).body.data;

describe('GET /organizations/{organizationId}/tasks/{taskRef}/graph: 200', () => {
  it('shows the tree, what is tied to it, and the dependencies among them', async () => {
    const make = (overrides: Record<string, unknown> = {}) => createTask(owner, organization.id, overrides);
    const before = await make();
    const root = await make();
    const child = await make({ parentRef: root.id, dependsOn: [{ taskRef: before.id }] });
    const grandchild = await make({ parentRef: child.id });
    const after = await make({ dependsOn: [{ taskRef: grandchild.id }] });
    const farther = await make({ dependsOn: [{ taskRef: after.id }] });
    const shown = await graph(child.identifier);
    expect(shown).toMatchObject({ focusTaskId: child.id, rootTaskId: root.id });
    const ids = (tasks: { id: string }[]) => tasks.map(({ id }) => id);
    expect(ids(shown.tasks)).toEqual([root.id, child.id, grandchild.id]);
    expect(ids(shown.relatedTasks).sort()).toEqual([before.id, after.id].sort());
    expect(ids(shown.relatedTasks)).not.toContain(farther.id);
    for (const task of [...shown.tasks, ...shown.relatedTasks])
      expect((await owner.get(`/organizations/${organization.id}/tasks/${task.id}`)).body.data).toEqual(task);
    expect(shown.dependencies).toHaveLength(2);
    for (const edge of shown.dependencies) {
      const path = `/organizations/${organization.id}/task-dependencies/${edge.taskId}/${edge.dependsOnTaskId}`;
      expect((await owner.get(path)).body.data).toEqual(edge);
    }
    // Whichever task of the tree is asked for, it is one graph.
    expect({ ...(await graph(root.id)), focusTaskId: child.id }).toEqual(shown);
  });

  it('shows a task that stands alone', async () => {
    const { id } = await createTask(owner, organization.id);
    expect(await graph(id)).toMatchObject({
      totalTasks: 1,
      truncated: false,
      tasks: [{ id }],
      relatedTasks: [],
      dependencies: [],
    });
  });

  it('says that it left tasks out, and keeps those around the focus', async () => {
    const { rootId, descendantIds } = await seedTree(app, organization.id, { size: 2_600, children: 2_200 });
    const [, , near] = descendantIds;
    const focus = descendantIds.at(-1)!;
    const parent = descendantIds[(2_599 - 2_200) % 2_200]!;
    const shown = await graph(focus);
    expect({ ...shown, tasks: shown.tasks.length }).toMatchObject({
      focusTaskId: focus,
      rootTaskId: rootId,
      totalTasks: 2_601,
      truncated: true,
      tasks: 2_000,
    });
    const ids = new Set(shown.tasks.map((task: { id: string }) => task.id));
    expect([rootId, parent, focus, near!].map((id) => ids.has(id))).toEqual([true, true, true, true]);
    // The last ones in the order of depth and id, which nothing ties to the focus.
    expect(ids.has(descendantIds.at(-2)!)).toBe(false);
    expect((await graph(focus)).tasks).toEqual(shown.tasks);
  });

  it('holds some 4 MB of tasks, and the focus whatever it takes', async () => {
    const { rootId, descendantIds } = await seedTree(app, organization.id, { size: 30 });
    const large = { objective: 'Do it', inputs: [{ kind: 'text', text: 'm'.repeat(300_000) }], acceptanceCriteria: [] };
    await app.db.query(`update task set spec = $2 where root_task_id = $1`, [rootId, JSON.stringify(large)]);
    const { status, text, body } = await owner.get(
      `/organizations/${organization.id}/tasks/${descendantIds.at(-1)!}/graph`,
    );
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(4_100_000);
    expect(body.data).toMatchObject({ truncated: true, totalTasks: 31, focusTaskId: descendantIds.at(-1) });
    expect(body.data.tasks).toHaveLength(13);
    expect(body.data.tasks.at(-1).id).toBe(descendantIds.at(-1));
    await app.db.query(`update task set spec = $2 where id = $1`, [
      rootId,
      JSON.stringify({ ...large, objective: 'm'.repeat(4_100_000) }),
    ]);
    expect((await graph(rootId)).tasks).toMatchObject([{ id: rootId }]);
  });

  it('says that it left out tasks of other trees', async () => {
    const { rootId } = await seedTree(app, organization.id, { size: 1 });
    const { descendantIds } = await seedTree(app, organization.id, { size: 520 });
    await app.db.query(
      `insert into task_dependency (organization_id, task_id, depends_on_task_id, condition)
       select $1, t.id, $2, '{"kind":"completion"}' from unnest($3::uuid[]) t(id)`,
      [organization.id, rootId, descendantIds],
    );
    const shown = await graph(rootId);
    expect(shown).toMatchObject({ totalTasks: 2, truncated: true });
    expect(shown.relatedTasks).toHaveLength(500);
    expect(shown.dependencies).toHaveLength(500);
  });
});

describe('GET /organizations/{organizationId}/tasks/{taskRef}/graph: 404', () => {
  it('for what is not there, or of another organization', async () => {
    const elsewhere = await createTask(owner, await organizationOf(owner));
    for (const ref of [randomUUID(), 'OPS-999', elsewhere.id]) {
      const { status, body } = await owner.get(`/organizations/${organization.id}/tasks/${ref}/graph`);
      expect([status, body.error.code]).toEqual([404, 'task_graph_not_found']);
    }
  });
});
