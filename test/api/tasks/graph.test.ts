import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { createTask } from '../../support/tasks.ts';
import { TestApp } from '../../support/test-app.ts';

let app: TestApp;
let owner: Client;
let organizationId: string;

beforeAll(async () => {
  app = await TestApp.start();
  owner = await app.person();
  organizationId = await organizationOf(owner);
});
afterAll(() => app.close());

const graph = async (ref: string) => (await owner.get(`/organizations/${organizationId}/tasks/${ref}/graph`)).body.data;

describe('GET /organizations/{organizationId}/tasks/{taskRef}/graph: 200', () => {
  it('shows the tree, what is tied to it, and the dependencies among them', async () => {
    const make = (overrides: Record<string, unknown> = {}) => createTask(owner, organizationId, overrides);
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
      expect((await owner.get(`/organizations/${organizationId}/tasks/${task.id}`)).body.data).toEqual(task);
    expect(shown.dependencies).toHaveLength(2);
    for (const edge of shown.dependencies) {
      const path = `/organizations/${organizationId}/task-dependencies/${edge.taskId}/${edge.dependsOnTaskId}`;
      expect((await owner.get(path)).body.data).toEqual(edge);
    }
    // Whichever task of the tree is asked for, it is one graph.
    expect({ ...(await graph(root.id)), focusTaskId: child.id }).toEqual(shown);
  });

  it('shows a task that stands alone', async () => {
    const { id } = await createTask(owner, organizationId);
    expect(await graph(id)).toMatchObject({ tasks: [{ id }], relatedTasks: [], dependencies: [] });
  });
});

describe('GET /organizations/{organizationId}/tasks/{taskRef}/graph: 404', () => {
  it('for what is not there, or of another organization', async () => {
    const elsewhere = await createTask(owner, await organizationOf(owner));
    for (const ref of [randomUUID(), 'OPS-999', elsewhere.id]) {
      const { status, body } = await owner.get(`/organizations/${organizationId}/tasks/${ref}/graph`);
      expect([status, body.error.code]).toEqual([404, 'task_graph_not_found']);
    }
  });
});
