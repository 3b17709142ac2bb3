import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { EventReader, listening } from '../../support/event-reader.ts';
import { taskRow } from '../../support/factories/engine-rows.ts';
import { profileOf } from '../../support/factories/profiles.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { COMPLETED, onRun, startedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({
  per: 'test',
  env: { CORS_ALLOWED_ORIGINS: 'https://a.example' },
});
let baseUrl: string;
const readers: EventReader[] = [];

beforeAll(async () => {
  baseUrl = await listening(app);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

const path = () => `/organizations/${organization.id}/events`;

async function follow(query = '', lastEventId?: string): Promise<EventReader> {
  const reader = await EventReader.open(baseUrl, path() + query, { token: owner.token, lastEventId });
  readers.push(reader);
  return reader;
}

/** A child of a task, which tells nothing of its own creation. */
const childOf = async (parentId: string) =>
  taskRow(app, organization.id, await profileOf(app, organization.id), { parent_id: parentId, depth: 1 });

const logOf = async (query = '') =>
  (await owner.get(`/organizations/${organization.id}/activity?limit=200&order=asc${query}`)).body.data;

describe('200', () => {
  it('has the headers that proxies need, and those that a page of an allowed origin needs', async () => {
    const { status, headers } = await owner.peek(path(), { origin: 'https://a.example' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'access-control-allow-origin': 'https://a.example',
      vary: 'Origin',
    });
    const preflight = await app.anonymous.send('OPTIONS', path(), undefined, {
      origin: 'https://a.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,last-event-id',
    });
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([
      204,
      expect.stringContaining('last-event-id'),
    ]);
  });

  it('begins with a snapshot, and tells each entry of the log as it is committed', async () => {
    const reader = await follow();
    await reader.count(1);
    const [created] = await logOf();
    expect(reader.events[0]).toMatchObject({
      event: 'snapshot',
      data: { type: 'snapshot', reason: 'started', at: created.at },
    });
    const task = await createTask(owner, organization.id);
    await childOf(task.id);
    await owner.patch(`/organizations/${organization.id}`, { name: 'Renamed' });
    await owner.post(`/organizations/${organization.id}/tasks/${task.id}/cancel`);
    await reader.count(5);
    const entries = (await logOf()).slice(1);
    expect(reader.events.slice(1).map(({ data }) => data.id)).toEqual(entries.map(({ id }: { id: string }) => id));
    const { details: _, ...first } = entries[0];
    expect(reader.events.slice(1).map(({ event, data }) => ({ event, data }))).toEqual([
      { event: 'activity', data: { type: 'activity', ...first, taskId: task.id, rootTaskId: task.id } },
      { event: 'activity', data: expect.not.objectContaining({ taskId: expect.anything() }) },
      { event: 'activity', data: expect.objectContaining({ verb: 'task.cancelled', status: 'cancelled' }) },
      { event: 'activity', data: expect.objectContaining({ rootTaskId: task.id, status: 'cancelled' }) },
    ]);
  });

  it('tells of what agents do, with the task that a run is of', async () => {
    const run = await startedRun(app, organization.id);
    const reader = await follow();
    await reader.count(1);
    await onRun(app, run, 'complete', COMPLETED);
    await reader.count(3);
    const { taskId } = run;
    const told = { actor: { kind: 'agent', name: 'growth' }, taskId, rootTaskId: taskId };
    expect(reader.events.slice(1).map(({ data }) => data)).toMatchObject([
      { ...told, verb: 'run.succeeded', subject: { kind: 'run', id: run.runId }, status: 'succeeded' },
      { ...told, verb: 'task.completed', subject: { kind: 'task', id: taskId }, status: 'completed' },
    ]);
  });

  it('leaves out what is not asked for', async () => {
    const task = await createTask(owner, organization.id);
    const other = await createTask(owner, organization.id);
    const byVerb = await follow('?verb=organization.updated&verb=task.cancelled');
    const ofTask = await follow(`?rootTaskId=${task.id.toUpperCase()}`);
    const ofBoth = await follow(`?verb=task.cancelled&rootTaskId=${task.id}`);
    const ofNone = await follow(`?rootTaskId=${randomUUID()}`);
    const all = await follow();
    await Promise.all(readers.map((reader) => reader.count(1)));
    await owner.patch(`/organizations/${organization.id}`, { name: 'Renamed' });
    await childOf(task.id);
    for (const each of [task, other]) await owner.post(`/organizations/${organization.id}/tasks/${each.id}/cancel`);
    await all.count(5);
    await Promise.all([byVerb.count(5), ofTask.count(3), ofBoth.count(3)]);
    const told = ({ events }: EventReader) => events.slice(1).map(({ data }) => [data.verb, data.rootTaskId]);
    const cancelled = ['task.cancelled', task.id];
    const ofOther = ['task.cancelled', other.id];
    expect(told(byVerb)).toEqual([['organization.updated', undefined], cancelled, cancelled, ofOther]);
    expect(told(ofTask)).toEqual([cancelled, cancelled]);
    expect(told(ofBoth)).toEqual([cancelled, cancelled]);
    expect(told(ofNone)).toEqual([]);
  });
});

describe('Last-Event-ID', () => {
  it('resumes exactly behind any event', async () => {
    const reader = await follow();
    await reader.count(1);
    for (let change = 0; change < 6; change += 1) await createTask(owner, organization.id);
    await reader.count(7);
    const { ids, told } = reader;
    for (const [seen, id] of ids.entries()) {
      const back = await follow('', id);
      await back.count(6 - seen);
      await createTask(owner, organization.id);
      await back.count(7 - seen);
      expect(back.told.slice(0, 6 - seen)).toEqual(told.slice(seen + 1));
      expect(back.last.event).toBe('activity');
      back.close();
    }
  });

  it.each([
    ['malformed', 'what?'],
    ['of a chat', '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11:4'],
    ['of another log', '4q7x9b2k1.1...0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11'],
    ['too long', 'x'.repeat(7_000)],
  ])('that is %s begins with a snapshot that says so', async (_what, lastEventId) => {
    const reader = await follow('', lastEventId);
    await reader.count(1);
    expect(reader.events[0]!.data).toMatchObject({ type: 'snapshot', reason: 'unknown_position' });
  });

  it('of another organization begins with a snapshot', async () => {
    const reader = await follow();
    await reader.count(1);
    const elsewhere = await organizationOf(owner);
    const other = await EventReader.open(baseUrl, `/organizations/${elsewhere}/events`, {
      token: owner.token,
      lastEventId: reader.last.id,
    });
    readers.push(other);
    await other.count(1);
    expect(other.events[0]!.data).toMatchObject({ type: 'snapshot', reason: 'unknown_position' });
  });

  it('behind the retention begins with a snapshot that says so', async () => {
    const reader = await follow();
    await reader.count(1);
    await createTask(owner, organization.id);
    await createTask(owner, organization.id);
    await reader.count(3);
    const [created, first] = await logOf();
    await app.db.query('delete from activity where organization_id = $1 and id = any($2)', [
      organization.id,
      [created.id, first.id],
    ]);
    const back = await follow('', reader.ids[1]);
    await back.count(1);
    expect(back.events[0]!.data).toMatchObject({ type: 'snapshot', reason: 'behind_retention' });
    await createTask(owner, organization.id);
    await back.count(2);
  });
});

describe('400', () => {
  it.each([
    ['verb=task.exploded', 'verb', 'invalid_item'],
    ['verb=', 'verb', 'invalid_item'],
    ['rootTaskId=OPS-1', 'rootTaskId', 'invalid_uuid'],
    ['limit=5', 'limit', 'unknown_property'],
  ])('refuses ?%s', async (query, at, code) => {
    const { status, body } = await owner.get(`${path()}?${query}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path: at, code }] });
  });
});

describe('401 and 404', () => {
  const refusal = async (client: Client, organizationId = organization.id) => {
    const { status, body } = await client.peek(`/organizations/${organizationId}/events`);
    return [status, body.error.code];
  };
  let stranger: Client;
  beforeEach(async () => {
    stranger = await app.person();
  });

  it('refuse who may not read', async () => {
    expect(await refusal(app.anonymous)).toEqual([401, 'owner_unauthorized']);
    expect(await refusal(app.service)).toEqual([401, 'owner_unauthorized']);
    expect(await refusal(stranger)).toEqual([404, 'organization_not_found']);
    expect(await refusal(owner, randomUUID())).toEqual([404, 'organization_not_found']);
    await owner.delete(`/organizations/${organization.id}`);
    expect(await refusal(owner)).toEqual([404, 'organization_not_found']);
  });
});
