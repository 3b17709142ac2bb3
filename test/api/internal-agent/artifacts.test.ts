import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import type { Client } from '../../support/client.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { until } from '../../support/until.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

const app = useTestApp();
const place = useWorkplace(app);

const BYTES = { 'content-type': 'application/octet-stream' };
const digestOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const fresh = () => `report ${randomUUID()}`;

function put(agent: Client, bytes: string, sha256 = digestOf(bytes), headers: Record<string, string> = BYTES) {
  return agent.put(place.agentPath(`/artifacts/${sha256}`), bytes, headers);
}

/** An upload whose body the test gives piece by piece. */
function putStream(agent: Client, sha256: string, payload: Readable) {
  return app.app.inject({
    method: 'PUT',
    url: place.agentPath(`/artifacts/${sha256}`),
    headers: { authorization: `Bearer ${agent.token}`, ...BYTES },
    payload,
  });
}

const read = (client: Client, runId: string, sha256: string, headers = {}) =>
  client.get(place.path(`/runs/${runId}/artifacts/${sha256}`), headers);
const keyOf = (runId: string, sha256: string) =>
  `organizations/${place.organizationId}/runs/${runId}/artifacts/${sha256}`;
const isKept = async (runId: string, sha256: string) =>
  (await app.app.get(ObjectStore).stat(keyOf(runId, sha256))) !== undefined;
const ended = { request: { status: 'completed' }, run: { status: 'succeeded' } };
const end = (runId: string) => app.db.query(`update run set status = 'succeeded' where id = $1`, [runId]);

describe('PUT …/artifacts/{sha256}: 201', () => {
  it('stores bytes, and the same again', async () => {
    const { agent, runId } = await place.run();
    const bytes = fresh();
    const { status, body } = await put(agent, bytes);
    expect([status, body.data]).toEqual([
      201,
      { runId, sha256: digestOf(bytes), sizeBytes: bytes.length, createdAt: expect.any(String) },
    ]);
    const again = await put(agent, bytes, digestOf(bytes).toUpperCase());
    expect([again.status, again.body.data]).toEqual([201, body.data]);
  });

  it('streams 50 MB', async () => {
    const { agent, runId } = await place.run();
    const chunk = randomBytes(1024 * 1024);
    const hash = createHash('sha256');
    for (let index = 0; index < 50; index += 1) hash.update(chunk);
    const sha256 = hash.digest('hex');
    const { statusCode } = await putStream(agent, sha256, Readable.from(Array.from({ length: 50 }, () => chunk)));
    expect(statusCode).toBe(201);
    expect(await app.app.get(ObjectStore).stat(keyOf(runId, sha256))).toEqual({ sizeBytes: 50 * 1024 * 1024 });
  });
});

describe('PUT …/artifacts/{sha256}: 400', () => {
  it('for bytes of another digest, which are not kept', async () => {
    const { agent, runId } = await place.run();
    const sha256 = digestOf(fresh());
    const { status, body } = await put(agent, 'other', sha256);
    expect([status, body.error.issues]).toEqual([
      400,
      [expect.objectContaining({ path: 'sha256', code: 'digest_mismatch' })],
    ]);
    expect(await isKept(runId, sha256)).toBe(false);
    expect((await read(place.owner, runId, sha256)).status).toBe(404);
  });

  it('for a path that is no digest', async () => {
    const { agent } = await place.run();
    expect((await put(agent, 'x', 'report')).body.error.issues).toEqual([expect.objectContaining({ path: 'sha256' })]);
  });
});

describe('PUT …/artifacts/{sha256}: 401', () => {
  it('wants the capability of a run, of this organization', async () => {
    const elsewhere = await Workplace.open(app);
    for (const client of [app.anonymous, app.service, place.owner, (await elsewhere.run()).agent])
      expect((await put(client, 'x')).body.error.code).toBe('agent_unauthorized');
  });
});

describe('PUT …/artifacts/{sha256}: 409', () => {
  it('for the hundred and first of a run, and not for one that it has', async () => {
    const { agent, runId } = await place.run();
    const bytes = fresh();
    await put(agent, bytes);
    await app.db.query(
      `insert into run_artifact (organization_id, run_id, sha256, size_bytes)
       select $1, $2, encode(sha256(n::text::bytea), 'hex'), 1 from generate_series(1, 99) n`,
      [place.organizationId, runId],
    );
    const other = fresh();
    const { status, body } = await put(agent, other);
    expect([status, body.error.code, body.error.issues[0].code]).toEqual([409, 'state_conflict', 'too_many_artifacts']);
    expect(await isKept(runId, digestOf(other))).toBe(false);
    expect((await put(agent, bytes)).status).toBe(201);
  });

  it('when the run is over before the bytes arrive', async () => {
    const { agent, runId } = await place.run(ended);
    const bytes = fresh();
    expect((await put(agent, bytes)).body.error.code).toBe('state_conflict');
    expect(await isKept(runId, digestOf(bytes))).toBe(false);
  });

  it('when the run ends while they arrive: nothing of them stays', async () => {
    const { agent, runId } = await place.run();
    const bytes = fresh();
    const body = new Readable({ read: () => undefined });
    let begun = false;
    const store = app.app.get(ObjectStore);
    const original = store.put.bind(store);
    store.put = (...args) => {
      begun = true;
      return original(...args);
    };
    try {
      const upload = putStream(agent, digestOf(bytes), body);
      body.push(bytes.slice(0, 5));
      await until('the upload has begun', () => begun);
      await end(runId);
      body.push(bytes.slice(5));
      body.push(null);
      const { statusCode } = await upload;
      expect(statusCode).toBe(409);
    } finally {
      store.put = original;
    }
    expect(await isKept(runId, digestOf(bytes))).toBe(false);
    expect((await read(place.owner, runId, digestOf(bytes))).body.error.code).toBe('not_found');
  });
});

describe('PUT …/artifacts/{sha256}: 413, 415', () => {
  it('413 beyond 50 MB', async () => {
    const { agent } = await place.run();
    const chunk = Buffer.alloc(1024 * 1024);
    const payload = Readable.from([...Array.from({ length: 50 }, () => chunk), Buffer.alloc(1)]);
    const { statusCode, json } = await putStream(agent, 'a'.repeat(64), payload);
    expect([statusCode, json().error.code]).toEqual([413, 'payload_too_large']);
  });

  it.each(['application/json', 'text/plain'])('415 for %s', async (type) => {
    const { agent } = await place.run();
    expect((await put(agent, '{}', digestOf('{}'), { 'content-type': type })).body.error.code).toBe(
      'unsupported_media_type',
    );
  });
});

describe('GET …/runs/{id}/artifacts/{sha256}', () => {
  const bytes = 'a report of some length';
  const sha256 = digestOf(bytes);

  it('200, 206, 304, 416: answers an owner with the bytes', async () => {
    const { agent, runId } = await place.run();
    await put(agent, bytes);
    await end(runId);
    const whole = await read(place.owner, runId, sha256);
    expect([whole.status, whole.text]).toEqual([200, bytes]);
    expect(whole.headers).toMatchObject({
      etag: `"${sha256}"`,
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    });
    const part = await read(place.owner, runId, sha256, { range: 'bytes=2-7' });
    expect([part.status, part.text]).toEqual([206, bytes.slice(2, 8)]);
    expect((await read(place.owner, runId, sha256, { 'if-none-match': `"${sha256}"` })).status).toBe(304);
    expect((await read(place.owner, runId, sha256, { range: 'bytes=500-' })).body.error.code).toBe(
      'range_not_satisfiable',
    );
  });

  it('401: wants an owner or a run', async () => {
    for (const client of [app.anonymous, app.service])
      expect((await read(client, randomUUID(), sha256)).body.error.code).toBe('owner_unauthorized');
  });

  it('404: tells an unknown run from an artifact that it does not have, to owners', async () => {
    const { runId } = await place.run();
    expect((await read(place.owner, randomUUID(), sha256)).body.error.code).toBe('run_not_found');
    expect((await read(place.owner, runId, sha256)).body.error.code).toBe('not_found');
  });

  it('lets a run read an artifact that its task has as an input, and its manifest names it', async () => {
    const author = await place.run({}, 'support');
    await put(author.agent, bytes);
    const other = fresh();
    await put(author.agent, other);
    await end(author.runId);
    const report = { kind: 'report', name: 'Report', path: 'report.md', sha256, sizeBytes: bytes.length };
    const notes = { kind: 'notes', name: 'Notes', path: 'notes.md', sha256: digestOf(other), sizeBytes: other.length };
    await app.db.query(`update task set status = 'completed', result = $2 where id = $1`, [
      author.taskId,
      JSON.stringify({ kind: 'completed', summary: 'Done', artifacts: [report, notes] }),
    ]);
    const unended = await place.task({}, 'support');
    const inputs = [
      { kind: 'artifact', taskId: unended, artifactKind: 'report' },
      { kind: 'artifact', taskId: author.taskId, artifactKind: 'report' },
    ];
    const reader = await place.run({ task: { spec: { objective: 'Read it', inputs, acceptanceCriteria: [] } } });
    const { body } = await reader.agent.get(place.agentPath('/execution'));
    expect(body.data.artifactInputs).toMatchObject([
      { taskId: unended, artifactKind: 'report', status: 'running', runId: null, artifacts: [] },
      { taskId: author.taskId, artifactKind: 'report', status: 'completed', runId: author.runId, artifacts: [report] },
    ]);
    expect(body.data.artifactInputs[1].artifacts).toHaveLength(1);
    const found = await read(reader.agent, author.runId, sha256);
    expect([found.status, found.text]).toEqual([200, bytes]);
    // Only what was named.
    expect((await read(reader.agent, author.runId, digestOf(other))).status).toBe(404);
    const stranger = await place.run();
    expect((await read(stranger.agent, author.runId, sha256)).status).toBe(404);
  });

  it('lets a run read what its department, its prerequisites and its children delivered, and nothing else', async () => {
    const deliver = async (key: string, task: Readonly<Record<string, unknown>> = {}) => {
      const run = await place.run({ task }, key);
      await put(run.agent, bytes);
      await end(run.runId);
      return run;
    };
    const reader = await place.run({}, 'growth');
    const colleague = await deliver('growth');
    const stranger = await deliver('support');
    const prerequisite = await deliver('engineering');
    const child = await deliver('engineering', { parent_id: reader.taskId });
    await app.db.query(
      `insert into task_dependency (organization_id, task_id, depends_on_task_id, status, condition) values ($1, $2, $3, 'failed', '{"kind":"completion"}')`,
      [place.organizationId, reader.taskId, prerequisite.taskId],
    );
    for (const { runId } of [colleague, prerequisite, child]) {
      const { status, text } = await read(reader.agent, runId, sha256);
      expect([status, text]).toEqual([200, bytes]);
    }
    for (const runId of [stranger.runId, reader.runId, randomUUID()]) {
      const { status, body } = await read(reader.agent, runId, sha256);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    }
    const operator = await place.run({}, 'operator');
    expect((await read(operator.agent, stranger.runId, sha256)).status).toBe(200);
    await end(reader.runId);
    expect((await read(reader.agent, colleague.runId, sha256)).body.error.code).toBe('state_conflict');
  });
});
