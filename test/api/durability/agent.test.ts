import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const at = (key: string, namespace = 'task') => place.agentPath(`/durability/${namespace}/${key}`);
const draft = (change: object = {}) => ({ kind: 'draft', payload: { step: 1 }, expectedVersion: 0, ...change });
const put = (agent: Client, key: string, change: object = {}) => agent.put(at(key), draft(change));
const expire = (key: string) =>
  app.db.query(`update durability_row set expires_at = clock_timestamp() - interval '1 second' where key = $1`, [key]);

describe('PUT …/durability/{namespace}/{key}: 200', () => {
  it('creates a row, then replaces it version by version', async () => {
    const { agent, taskId, runId } = await place.run();
    const created = await put(agent, taskId, { expiresAt: '9000-01-01T00:00:00Z' });
    expect([created.status, created.body.data]).toEqual([
      200,
      {
        organizationId: place.organizationId,
        namespace: 'task',
        key: taskId,
        kind: 'draft',
        version: 1,
        payload: { step: 1 },
        sourceRunId: runId,
        expiresAt: '9000-01-01T00:00:00.000000Z',
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    const { body } = await put(agent, taskId, { expectedVersion: 1, payload: { step: 2 } });
    expect(body.data).toMatchObject({
      version: 2,
      payload: { step: 2 },
      expiresAt: null,
      createdAt: created.body.data.createdAt,
    });
    expect((await agent.get(at(taskId))).body.data).toEqual(body.data);
  });

  it('takes a name behind the id, an id in upper case, and 256 KiB', async () => {
    const { agent, taskId } = await place.run();
    const payload = { text: 'a'.repeat(256 * 1024 - '{"text":""}'.length) };
    const { status, body } = await put(agent, `${taskId.toUpperCase()}.step_2-a`, { payload });
    expect([status, body.data.key]).toEqual([200, `${taskId}.step_2-a`]);
  });

  it('serves the next run of the task', async () => {
    const first = await place.run();
    await put(first.agent, first.taskId);
    await app.db.query(`update run set status = 'failed' where id = $1`, [first.runId]);
    await app.db.query(`update run_request set status = 'failed' where id = $1`, [first.requestId]);
    const second = await place.run({ taskId: first.taskId, run: { attempt: 2 } });
    expect((await put(second.agent, first.taskId, { expectedVersion: 1 })).body.data).toMatchObject({
      version: 2,
      sourceRunId: second.runId,
    });
  });

  it('creates again where a row has expired, with the version after its last', async () => {
    const { agent, taskId } = await place.run();
    await put(agent, taskId);
    await put(agent, taskId, { expectedVersion: 1 });
    await expire(taskId);
    expect((await put(agent, taskId)).body.data.version).toBe(3);
  });

  it('creates again where a row was deleted, so that no version from before ever fits', async () => {
    const { agent, taskId } = await place.run();
    await put(agent, taskId);
    await put(agent, taskId, { expectedVersion: 1 });
    expect((await agent.delete(`${at(taskId)}?expectedVersion=2`)).body.data.payload).toEqual({ step: 1 });
    expect((await agent.get(at(taskId))).status).toBe(404);
    for (const expectedVersion of [1, 2])
      expect((await put(agent, taskId, { expectedVersion })).body.error.code).toBe('state_conflict');
    const { body } = await put(agent, taskId, { payload: { step: 3 } });
    expect(body.data).toMatchObject({ version: 3, payload: { step: 3 }, createdAt: body.data.updatedAt });
    for (const expectedVersion of [1, 2])
      expect((await put(agent, taskId, { expectedVersion })).body.error.code).toBe('state_conflict');
  });

  it('takes a checkpoint of its own task', async () => {
    const { agent, taskId } = await place.run();
    const payload = {
      kind: 'task_checkpoint',
      taskId,
      taskVersion: 1,
      summary: 'Half done.',
      artifactUris: ['file:///a'],
    };
    expect((await put(agent, taskId, { kind: 'task_checkpoint', payload })).body.data.payload).toEqual(payload);
  });
});

describe('PUT …/durability/{namespace}/{key}: 400', () => {
  it.each([
    [{ payload: [] }, 'payload'],
    [{ payload: null }, 'payload'],
    [{ payload: { text: 'a'.repeat(256 * 1024) } }, 'payload'],
    [{ kind: 'Draft' }, 'kind'],
    [{ expectedVersion: -1 }, 'expectedVersion'],
    [{ expectedVersion: undefined }, 'expectedVersion'],
    [{ expiresAt: '2026-03-01T09:30:00Z' }, 'expiresAt'],
    [{ unheardOf: 1 }, 'unheardOf'],
  ])('refuses %#', async (change, path) => {
    const { agent, taskId } = await place.run();
    const { status, body } = await put(agent, taskId, change);
    expect([status, body.error.issues?.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
    expect((await agent.get(at(taskId))).status).toBe(404);
  });

  it.each([
    [{ taskVersion: 0 }, 'payload.taskVersion'],
    [{ summary: undefined }, 'payload.summary'],
    [{ artifactUris: 'file:///a' }, 'payload.artifactUris'],
    [{ kind: 'draft' }, 'payload.kind'],
    [{ unheardOf: 1 }, 'payload.unheardOf'],
    [{ taskId: randomUUID() }, 'payload.taskId'],
  ])('checks the shape of a checkpoint: %j', async (change, path) => {
    const { agent, taskId } = await place.run();
    const payload = { kind: 'task_checkpoint', taskId, taskVersion: 1, summary: 'Half.', artifactUris: [], ...change };
    const { status, body } = await put(agent, taskId, { kind: 'task_checkpoint', payload });
    expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path })]]);
  });

  it('wants a namespace and a key of the right form', async () => {
    const { agent, taskId } = await place.run();
    for (const path of [at(taskId, 'run'), at('draft'), at(`${taskId}.`), at(`${taskId}.A`)])
      expect((await agent.put(path, draft())).status).toBe(400);
  });
});

describe('…/durability/{namespace}/{key}: 401', () => {
  it('wants the capability of an execution of this organization', async () => {
    const { agent, taskId } = await place.run();
    const elsewhere = await Workplace.open(app);
    for (const client of [app.anonymous, app.service, place.owner, (await elsewhere.run()).agent])
      expect((await client.get(at(taskId))).body.error.code).toBe('agent_unauthorized');
    expect((await agent.get(at(taskId))).status).toBe(404);
  });
});

describe('…/durability/{namespace}/{key}: 404', () => {
  it('for the row of another task, of a chat, or none', async () => {
    const other = await place.run();
    await put(other.agent, other.taskId);
    const { agent, taskId } = await place.run();
    for (const path of [at(other.taskId), at(taskId, 'chat'), at(randomUUID())]) {
      const answers = [
        await agent.get(path),
        await agent.put(path, draft()),
        await agent.delete(`${path}?expectedVersion=1`),
      ];
      expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
        answers.map(() => [404, 'not_found']),
      );
    }
    for (const answer of [await agent.get(at(taskId)), await agent.delete(`${at(taskId)}?expectedVersion=1`)])
      expect(answer.status).toBe(404);
  });

  it('at once when a row expires', async () => {
    const { agent, taskId } = await place.run();
    await put(agent, taskId);
    await expire(taskId);
    expect((await agent.get(at(taskId))).status).toBe(404);
    expect((await agent.delete(`${at(taskId)}?expectedVersion=1`)).status).toBe(404);
    expect((await place.owner.get(place.path(`/durability/task/${taskId}`))).body.error.code).toBe(
      'durability_row_not_found',
    );
  });
});

describe('…/durability/{namespace}/{key}: 409', () => {
  it('for another version', async () => {
    const { agent, taskId } = await place.run();
    expect((await put(agent, taskId, { expectedVersion: 1 })).body.error.code).toBe('state_conflict');
    await put(agent, taskId);
    for (const expectedVersion of [0, 2]) expect((await put(agent, taskId, { expectedVersion })).status).toBe(409);
    expect((await agent.delete(`${at(taskId)}?expectedVersion=2`)).status).toBe(409);
    expect((await agent.get(at(taskId))).body.data.version).toBe(1);
  });

  it('for one of two writers that saw the same version', async () => {
    const { agent, taskId } = await place.run();
    for (const expectedVersion of [0, 1, 2]) {
      const answers = await Promise.all(
        [1, 2].map((step) => put(agent, taskId, { expectedVersion, payload: { step } })),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    }
  });

  it('when the run is over', async () => {
    for (const run of [{ status: 'failed' }, { lease_expires_at: '2026-03-01T09:30:00Z' }]) {
      const { agent, taskId } = await place.run({ request: { status: 'completed' }, run });
      for (const answer of [
        await put(agent, taskId),
        await agent.get(at(taskId)),
        await agent.delete(`${at(taskId)}?expectedVersion=1`),
      ])
        expect([answer.status, answer.body.error.code]).toEqual([409, 'state_conflict']);
    }
  });
});

describe('DELETE …/durability/{namespace}/{key}: 200', () => {
  it('answers with the row that it removed', async () => {
    const { agent, taskId } = await place.run();
    const { body } = await put(agent, taskId);
    const deleted = await agent.delete(`${at(taskId)}?expectedVersion=1`);
    expect([deleted.status, deleted.body.data]).toEqual([200, body.data]);
    expect((await agent.get(at(taskId))).status).toBe(404);
  });

  it('wants a version: 400', async () => {
    const { agent, taskId } = await place.run();
    expect((await agent.delete(at(taskId))).status).toBe(400);
  });
});

describe('the purge of expired rows', () => {
  it('empties what expired a day ago, and nothing else; its version stays', async () => {
    const { agent, taskId } = await place.run();
    for (const name of ['kept', 'expired', 'old']) await put(agent, `${taskId}.${name}`);
    await expire(`${taskId}.expired`);
    await app.db.query(
      `update durability_row set expires_at = clock_timestamp() - interval '25 hours' where key = $1`,
      [`${taskId}.old`],
    );
    await app.runJob('durability-purge');
    const { rows } = await app.db.query(
      `select right(key, -37) as name, payload, version from durability_row where left(key, 36) = $1 order by key`,
      [taskId],
    );
    const payload = { step: 1 };
    expect(rows).toEqual([
      { name: 'expired', payload, version: 1 },
      { name: 'kept', payload, version: 1 },
      { name: 'old', payload: {}, version: 1 },
    ]);
  });
});
