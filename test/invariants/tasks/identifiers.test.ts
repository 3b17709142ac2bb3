import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { applyPlan, planOf } from '../../support/factories/plans.ts';
import { createTask, taskBody } from '../../support/factories/tasks.ts';
import { TestApp } from '../../support/test-app.ts';
import { meetAtLock, taskLock } from '../../support/database/waiting-calls.ts';
import { onRun, startClaimed, type StartedRun } from '../../support/factories/work.ts';

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

/** Scopes of the organization's tasks; the numbers in each must have no gap. */
async function gapFreeScopes(): Promise<string[]> {
  const { rows } = await one.db.query<{ scope: string; numbers: number[]; last: number }>(
    `select t.identifier_scope as scope, array_agg(t.identifier_number order by t.identifier_number) as numbers,
       (select last_number from task_identifier i where i.organization_id = $1 and i.scope = t.identifier_scope) as last
     from task t where t.organization_id = $1 group by 1 order by 1`,
    [organizationId],
  );
  for (const { numbers, last } of rows) {
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n + 1));
    expect(last).toBe(numbers.length);
  }
  return rows.map(({ scope }) => scope);
}

const PLANNED = { output: { kind: 'task_result', result: { kind: 'planned', summary: 'A plan.' } } };

/** A run that has staged a plan with one child. */
async function plannedRun(): Promise<StartedRun> {
  await createTask(owner, organizationId, { phase: 'plan', priority: 1_000 });
  const run = await startClaimed(one, organizationId);
  const agent = one.client(run.executionToken);
  const execution = `/internal/agent/organizations/${organizationId}/execution`;
  const { graphRevision: expectedGraphRevision } = (await agent.get(execution)).body.data.plan;
  const child = {
    kind: 'create_task',
    ref: 'child',
    title: 'child',
    spec: { objective: 'x' },
    ownerAgentProfileKey: 'support',
  };
  const outcome = { kind: 'planned', summary: 'A plan.', expectedGraphRevision, operations: [child] };
  expect((await agent.put(`${execution}/outcome`, outcome)).status).toBe(200);
  return run;
}

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
    await one.db.query('update organization set max_task_depth = 0 where id = $1', [organizationId]);
    const calls = Array.from({ length: 60 }, (_, n) => {
      const client = n % 2 ? owner : elsewhere;
      // Every fifth is refused, after it took its number.
      const refused = n % 5 === 0 ? { parentRef: planner.id, dependsOn: [{ taskRef: planner.id }] } : {};
      return client.post(
        path,
        taskBody({ ownerAgentProfileKey: ['growth', 'engineering', 'operator'][n % 3], ...refused }),
      );
    });
    const answers = await Promise.all(calls);
    await one.db.query('update organization set max_task_depth = 4 where id = $1', [organizationId]);
    await applyPlan(one, organizationId, planner.id, planOf(planner.graphRevision, children));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await gapFreeScopes()).toEqual(['ENG', 'GRO', 'OPS']);
  });

  it('stay gap-free when a plan is completed twice at once', async () => {
    const run = await plannedRun();
    const complete = () => onRun(one, run, 'complete', PLANNED);
    const answers = await meetAtLock(one, taskLock(run), [complete, complete]);
    expect(answers.map(({ status, body }) => [status, body.data?.status])).toEqual([
      [200, 'succeeded'],
      [200, 'succeeded'],
    ]);
    expect(await gapFreeScopes()).toContain('SUP');
  });

  it('stay gap-free when the task that plans is cancelled first', async () => {
    const run = await plannedRun();
    const cancel = () => owner.post(`/organizations/${organizationId}/tasks/${run.taskId}/cancel`);
    const complete = () => onRun(one, run, 'complete', PLANNED);
    const answers = await meetAtLock(one, taskLock(run), [cancel, complete]);
    expect(answers.map(({ status, body }) => [status, body.data?.status])).toEqual([
      [200, 'cancelled'],
      [200, 'cancelled'],
    ]);
    await gapFreeScopes();
  });

  it('start anew in another organization', async () => {
    expect((await createTask(owner, await organizationOf(owner))).identifier).toBe('OPS-1');
  });
});
