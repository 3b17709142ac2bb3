import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../support/client.ts';
import { applyPlan, planOf } from '../support/plans.ts';
import { createTask, taskBody } from '../support/tasks.ts';
import { TestApp } from '../support/test-app.ts';

let one: TestApp;
let other: TestApp;
let owner: Client;
let elsewhere: Client;
let organizationId: string;

beforeAll(async () => {
  [one, other] = [await TestApp.start(), await TestApp.start()];
  const person = await one.person();
  [owner, elsewhere] = [person, other.client(person.token)];
  organizationId = await organizationOf(owner);
});
afterAll(() => Promise.all([one.close(), other.close()]));

describe('the numbers of tasks', () => {
  it('are gap-free in each scope, whatever is created and refused at once on two replicas', async () => {
    const path = `/organizations/${organizationId}/tasks`;
    const planner = await createTask(owner, organizationId);
    const children = ['growth', 'engineering', 'growth'].map((ownerAgentProfileKey, n) => ({
      kind: 'create_task',
      ref: `child-${n}`,
      title: 'child',
      spec: { objective: 'x' },
      ownerAgentProfileKey,
    }));
    const calls = Array.from({ length: 60 }, (_, n) => {
      const client = n % 2 ? owner : elsewhere;
      // Every fifth is refused, after it took its number.
      const refused = n % 5 === 0 ? { parentRef: planner.id, dependsOn: [{ taskRef: planner.id }] } : {};
      return client.post(
        path,
        taskBody({ ownerAgentProfileKey: ['growth', 'engineering', 'operator'][n % 3], ...refused }),
      );
    });
    await one.db.query('update organization set max_task_depth = 0 where id = $1', [organizationId]);
    const answers = await Promise.all(calls);
    await one.db.query('update organization set max_task_depth = 4 where id = $1', [organizationId]);
    await applyPlan(one, organizationId, planner.id, planOf(planner.graphRevision, children));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const { rows } = await one.db.query<{ scope: string; numbers: number[]; last: number }>(
      `select t.identifier_scope as scope, array_agg(t.identifier_number order by t.identifier_number) as numbers,
         (select last_number from task_identifier i where i.organization_id = $1 and i.scope = t.identifier_scope) as last
       from task t where t.organization_id = $1 group by 1 order by 1`,
      [organizationId],
    );
    expect(rows.map(({ scope }) => scope)).toEqual(['ENG', 'GRO', 'OPS']);
    for (const { numbers, last } of rows) {
      expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n + 1));
      expect(last).toBe(numbers.length);
    }
  });

  it('start anew in another organization', async () => {
    expect((await createTask(owner, await organizationOf(owner))).identifier).toBe('OPS-1');
  });
});
