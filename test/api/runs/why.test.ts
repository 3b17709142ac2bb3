import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { requestRow } from '../../support/factories/engine-rows.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const why = (ref: string, client = place.owner) => client.get(place.path(`/tasks/${ref}/why`));
const queued = async (row: object = {}, key = 'growth') => {
  const taskId = await place.task({ status: 'pending' }, key);
  return { taskId, requestId: await requestRow(app, place.organizationId, taskId, { status: 'queued', ...row }) };
};

describe('GET …/tasks/{taskRef}/why: 200', () => {
  it('names the live run', async () => {
    const { taskId, runId } = await place.run();
    const { status, body } = await why(taskId);
    expect([status, body.data]).toEqual([
      200,
      {
        taskId,
        status: 'running',
        nextMover: {
          kind: 'live_run',
          since: expect.any(String),
          until: expect.any(String),
          refs: [{ kind: 'run', id: runId, label: 'attempt 1' }],
        },
        blockers: [],
        capacity: { organization: { live: 1, claimed: 0, limit: 10 }, profile: { live: 1, claimed: 0, limit: 3 } },
        explanation: 'Its attempt 1 is at work.',
      },
    ]);
  });

  it('takes an identifier', async () => {
    const { taskId } = await queued();
    const { rows } = await app.db.query('select identifier_number as n from task where id = $1', [taskId]);
    expect((await why(`row-${rows[0].n}`)).body.data.taskId).toBe(taskId);
  });

  it('names the request, and what holds it back', async () => {
    const { taskId, requestId } = await queued();
    expect((await why(taskId)).body.data).toMatchObject({
      nextMover: { kind: 'run_request', refs: [{ id: requestId }] },
      explanation: 'The task waits for a worker.',
    });
    await place.owner.put(place.path('/work-dispatch'), { status: 'stopped' });
    expect((await why(taskId)).body.data.explanation).toBe('Work dispatch is stopped.');
    await place.owner.put(place.path('/work-dispatch'), { status: 'running' });
    const support = await queued({}, 'support');
    await place.owner.patch(place.path(`/agent-profiles/${place.profile('support')}`), { status: 'disabled' });
    expect((await why(support.taskId)).body.data.explanation).toBe('The agent profile "support" is disabled.');
    const later = await queued({ ready: false, available_at: '9000-01-01T00:00:00Z' });
    expect((await why(later.taskId)).body.data.nextMover).toMatchObject({
      kind: 'run_request',
      until: '9000-01-01T00:00:00.000000Z',
    });
  });

  it('names the capacity that claims have taken, with its numbers', async () => {
    const profile = place.path(`/agent-profiles/${place.profile('engineering')}`);
    await place.owner.patch(profile, { config: { maxLiveRuns: 2 } });
    await place.run({}, 'engineering');
    await queued({ status: 'claimed', claim_expires_at: '9000-01-01T00:00:00Z' }, 'engineering');
    const { taskId } = await queued({}, 'engineering');
    expect((await why(taskId)).body.data).toMatchObject({
      nextMover: { kind: 'run_request' },
      capacity: { profile: { live: 1, claimed: 1, limit: 2 } },
      explanation: 'The agent profile "engineering" has 1 live run and 1 claimed one of at most 2.',
    });
  });

  it('names prerequisites', async () => {
    const prerequisite = await place.task({ status: 'failed', title: 'Research' });
    const since = '2026-03-01T09:30:00.000000Z';
    const blockers = [{ kind: 'dependency_failed', dependsOnTaskId: prerequisite, since }];
    const taskId = await place.task({ status: 'blocked', blockers });
    expect((await why(taskId)).body.data).toMatchObject({
      nextMover: { kind: 'blocker', since },
      blockers: [
        { kind: 'dependency_failed', since, whoCanResolve: 'owner', refs: [{ kind: 'task', id: prerequisite }] },
      ],
    });
  });
});

describe('GET …/tasks/{taskRef}/why: 400, 401, 404', () => {
  it('400: wants a reference', async () => {
    expect((await why('something')).body.error).toMatchObject({
      code: 'validation_failed',
      issues: [{ path: 'taskRef' }],
    });
  });

  it('401: wants an owner', async () => {
    expect((await why(randomUUID(), app.service)).status).toBe(401);
  });

  it('404: answers `task_not_found`', async () => {
    for (const ref of [randomUUID(), 'ENG-999']) expect((await why(ref)).body.error.code).toBe('task_not_found');
  });
});
