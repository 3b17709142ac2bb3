import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { organizationOf } from '../../support/client.ts';
import { MIB } from '../../support/factories/attachments.ts';
import {
  materialOf,
  onboardingOf,
  onboardingPath,
  sourceOf,
  sourcePath,
  storeSource,
} from '../../support/factories/onboardings.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const app = useTestApp();
const owner = usePerson(app);

let organizationId: string;
beforeEach(async () => {
  organizationId = await onboardingOf(owner);
});

const record = async () => (await owner.get(onboardingPath(organizationId))).body.data;
const setState = (state: string) =>
  app.db.query('update onboarding set state = $2 where organization_id = $1', [organizationId, state]);
async function objectKeys(): Promise<string[]> {
  const keys = [];
  for await (const { key } of app.app.get(ObjectStore).list(`organizations/${organizationId}/onboarding`))
    keys.push(key);
  return keys;
}

/** Takes stored bytes away, or puts others in their place. */
async function damaged(bytes: string | undefined): Promise<void> {
  const objects = app.app.get(ObjectStore);
  for (const key of await objectKeys())
    if (bytes === undefined) await objects.delete(key);
    else await objects.put(key, Readable.from([Buffer.from(bytes)]), { maxBytes: MIB });
}

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex');

describe('PUT …/onboarding/sources/{sourceId}: 201', () => {
  it('stores a file or a note, for the organization or a department', async () => {
    const first = await storeSource(owner, organizationId, { bytes: 'Prices', fileName: 'C:\\docs\\prices.txt' });
    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      sourceId: first.body.data.sourceId,
      kind: 'file',
      fileName: 'prices.txt',
      mediaType: 'text/plain',
      sizeBytes: 6,
      sha256: sha256('Prices'),
      department: null,
      createdAt: expect.stringMatching(MOMENT),
    });
    const second = await storeSource(owner, organizationId, {
      kind: 'note',
      department: 'growth',
      mediaType: 'text/x-markdown; charset=utf-8',
      fileName: 'about us.md',
    });
    expect(second.body.data).toMatchObject({ kind: 'note', department: 'growth', mediaType: 'text/markdown' });
    expect(await record()).toMatchObject({ state: 'draft', sources: [first.body.data, second.body.data] });
    expect(await materialOf(app, organizationId)).toEqual({ sources: 2, uploads: 0, objects: 2 });
  });

  it.each([
    ['an empty one', '', 'text/plain'],
    ['one that lies about its type', 'no image', 'image/png'],
    ['a web page', '<p>Us</p>', 'text/html'],
    ['a message', 'Subject: Hi\r\n\r\nHello', 'message/rfc822'],
  ])('takes %s: the review judges the content', async (_, bytes, mediaType) => {
    expect((await storeSource(owner, organizationId, { bytes, mediaType })).status).toBe(201);
  });

  it('changes nothing for a repeat', async () => {
    const sourceId = await sourceOf(owner, organizationId);
    const before = await record();
    expect((await storeSource(owner, organizationId, { sourceId })).body.data).toEqual(before.sources[0]);
    expect(await record()).toEqual(before);
    expect(await materialOf(app, organizationId)).toEqual({ sources: 1, uploads: 0, objects: 1 });
  });

  it('stores the bytes of a repeat anew where those that it repeats are gone or others', async () => {
    const sourceId = await sourceOf(owner, organizationId, { bytes: 'Notes' });
    for (const damage of [undefined, 'other', 'longer']) {
      const before = await objectKeys();
      await damaged(damage);
      if (damage === 'other') await setState('review_ready');
      const { status, body } = await storeSource(owner, organizationId, { sourceId, bytes: 'Notes' });
      expect([status, body.data.sha256]).toEqual([201, sha256('Notes')]);
      expect((await owner.get(`${sourcePath(organizationId, sourceId)}/content`)).text).toBe('Notes');
      expect(await objectKeys()).not.toEqual(before);
      expect((await record()).state).toBe('draft');
      expect(await materialOf(app, organizationId)).toEqual({ sources: 1, uploads: 0, objects: 1 });
    }
    await damaged(undefined);
    await setState('reviewing');
    expect((await storeSource(owner, organizationId, { sourceId, bytes: 'Notes' })).status).toBe(409);
  });

  it.each(['review_ready', 'failed'])(
    'takes the onboarding back to draft from %s, with another file',
    async (state) => {
      const sourceId = await sourceOf(owner, organizationId);
      const error = JSON.stringify({ code: 'review_failed', message: 'Failed.', sourceId: null });
      await app.db.query('update onboarding set error = $2 where organization_id = $1', [organizationId, error]);
      await setState(state);
      expect((await storeSource(owner, organizationId, { sourceId })).status).toBe(201);
      expect((await record()).state).toBe(state);
      const replaced = await storeSource(owner, organizationId, { sourceId, bytes: 'Other notes.' });
      expect(replaced.body.data).toMatchObject({ sourceId, sha256: sha256('Other notes.') });
      expect(await record()).toMatchObject({
        state: 'draft',
        review: null,
        error: null,
        sources: [replaced.body.data],
      });
      expect(await materialOf(app, organizationId)).toEqual({ sources: 1, uploads: 0, objects: 1 });
    },
  );

  it('takes repeats while it is reviewed, and 409 for anything else, in draft afterwards and before', async () => {
    const sourceId = await sourceOf(owner, organizationId);
    await setState('reviewing');
    expect((await storeSource(owner, organizationId, { sourceId })).status).toBe(201);
    for (const given of [{}, { sourceId, bytes: 'Other' }, { sourceId, fileName: 'other.txt' }]) {
      const { status, body } = await storeSource(owner, organizationId, given);
      expect([status, body.error.code, body.message]).toEqual([
        409,
        'request_failed',
        expect.stringContaining('reviewing'),
      ]);
    }
    await setState('completed');
    expect((await storeSource(owner, organizationId, { sourceId })).status).toBe(409);
    expect(await materialOf(app, organizationId)).toEqual({ sources: 1, uploads: 0, objects: 1 });
  });
});

describe('PUT …/onboarding/sources/{sourceId}: refusals', () => {
  it.each<[number, string, Record<string, string>]>([
    [400, 'kind', { kind: 'link' }],
    [400, 'department', { department: 'sales' }],
    [400, 'fileName', { fileName: '..' }],
    [415, 'mediaType', { mediaType: 'application/zip' }],
    [415, 'mediaType', { mediaType: 'application/x-msdownload' }],
  ])('are %i at %s for %j', async (status, path, given) => {
    const answer = await storeSource(owner, organizationId, given);
    expect([answer.status, answer.body.error.code]).toEqual([status, 'request_failed']);
    expect(answer.body.error.issues).toMatchObject([{ path }]);
  });

  it('are 413 beyond 50 MiB, declared or not, and leave nothing', async () => {
    const tooMany = Buffer.alloc(50 * MIB + 1);
    for (const bytes of [tooMany, Readable.from([tooMany])]) {
      const { status, body } = await storeSource(owner, organizationId, { bytes });
      expect([status, body.error.code, body.message]).toEqual([
        413,
        'request_failed',
        'A source has at most 50 MiB: store it in parts.',
      ]);
    }
    expect(await materialOf(app, organizationId)).toEqual({ sources: 0, uploads: 0, objects: 0 });
  });

  it('are 415 for a body that is no stream of bytes, 404 for no onboarding', async () => {
    const json = await owner.put(sourcePath(organizationId, randomUUID()), { kind: 'file' });
    expect([json.status, json.body.error.code]).toEqual([415, 'request_failed']);
    const { status, body } = await storeSource(owner, await organizationOf(owner));
    expect([status, body.error.code]).toEqual([404, 'request_failed']);
  });

  it('are 409 for the 51st source, and beyond 500 MiB', async () => {
    const sourceId = await sourceOf(owner, organizationId);
    await app.db.query(
      `insert into onboarding_source
         (organization_id, id, kind, file_name, media_type, size_bytes, sha256, upload_id, knowledge_id)
       select organization_id, gen_random_uuid(), kind, file_name, media_type, $2, sha256, gen_random_uuid(),
         gen_random_uuid()
       from onboarding_source, generate_series(1, 49) where organization_id = $1`,
      [organizationId, 1 * MIB],
    );
    const refused = async (given: object) => {
      const { status, body } = await storeSource(owner, organizationId, given);
      expect([status, body.error.code]).toEqual([409, 'request_failed']);
      expect(body.error.issues).toMatchObject([{ code: 'too_many_sources' }]);
    };
    await refused({});
    expect((await storeSource(owner, organizationId, { sourceId, bytes: 'Other' })).status).toBe(201);
    await app.db.query('update onboarding_source set size_bytes = $2 where organization_id = $1 and id <> $3', [
      organizationId,
      Math.floor((500 * MIB) / 49),
      sourceId,
    ]);
    await refused({ sourceId, bytes: Buffer.alloc(1_000) });
    expect((await record()).sources).toHaveLength(50);
  });
});

describe('DELETE …/onboarding/sources/{sourceId}', () => {
  it('is 200 with the source, which is gone with its bytes', async () => {
    const { data } = (await storeSource(owner, organizationId)).body;
    const { status, body } = await owner.delete(sourcePath(organizationId, data.sourceId));
    expect([status, body.data]).toEqual([200, data]);
    expect((await record()).sources).toEqual([]);
    expect(await materialOf(app, organizationId)).toEqual({ sources: 0, uploads: 0, objects: 0 });
  });

  it('is 404 for an unknown one, 409 while it is reviewed', async () => {
    const unknown = await owner.delete(sourcePath(organizationId, randomUUID()));
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'request_failed']);
    const sourceId = await sourceOf(owner, organizationId);
    await setState('reviewing');
    const { status, body } = await owner.delete(sourcePath(organizationId, sourceId));
    expect([status, body.error.code]).toEqual([409, 'request_failed']);
    expect((await record()).sources).toHaveLength(1);
  });
});

describe('GET …/onboarding/sources/{sourceId}/content', () => {
  it('is 200 with the bytes, 206 with a range, 416 without one', async () => {
    const sourceId = await sourceOf(owner, organizationId, { bytes: 'Some <b>notes</b>', mediaType: 'text/html' });
    const path = `${sourcePath(organizationId, sourceId)}/content`;
    const whole = await owner.get(path);
    expect([whole.status, whole.text, whole.headers['content-type']]).toEqual([
      200,
      'Some <b>notes</b>',
      'application/octet-stream',
    ]);
    expect(whole.headers['content-disposition']).toContain('attachment');
    const part = await owner.get(path, { range: 'bytes=5-7' });
    expect([part.status, part.text]).toEqual([206, '<b>']);
    const outside = await owner.get(path, { range: 'bytes=100-' });
    expect([outside.status, outside.body.error.code]).toEqual([416, 'range_not_satisfiable']);
  });

  it('is 409 where the stored bytes are gone or others, and says what to do', async () => {
    const sourceId = await sourceOf(owner, organizationId, { fileName: 'prices.txt' });
    const read = async () => {
      const { status, body, headers } = await owner.get(`${sourcePath(organizationId, sourceId)}/content`);
      expect([status, body.error, headers.etag]).toMatchObject([
        409,
        { code: 'request_failed', issues: [{ path: 'sourceId', code: 'bytes_damaged' }] },
        undefined,
      ]);
      return body.message as string;
    };
    await damaged('other');
    expect(await read()).toContain('“prices.txt”');
    await damaged(undefined);
    expect(await read()).toContain('store the source again');
    await setState('completed');
    expect(await read()).toContain('backup');
  });

  it('is 404 for an unknown one', async () => {
    const { status, body } = await owner.get(`${sourcePath(organizationId, randomUUID())}/content`);
    expect([status, body.error.code]).toEqual([404, 'request_failed']);
  });
});

describe('POST …/onboarding/start', () => {
  it('is 200 and makes it reviewing, again without a change', async () => {
    await sourceOf(owner, organizationId);
    const started = await owner.post(`${onboardingPath(organizationId)}/start`);
    expect([started.status, started.body.data.state]).toEqual([200, 'reviewing']);
    expect(started.body.data.startedAt).toMatch(MOMENT);
    const again = await owner.post(`${onboardingPath(organizationId)}/start`);
    expect([again.status, again.body.data]).toEqual([200, started.body.data]);
  });

  it('is 409 without a source, and once it is completed', async () => {
    const empty = await owner.post(`${onboardingPath(organizationId)}/start`);
    expect([empty.status, empty.body.error.code]).toEqual([409, 'request_failed']);
    await sourceOf(owner, organizationId);
    await setState('completed');
    expect((await owner.post(`${onboardingPath(organizationId)}/start`)).status).toBe(409);
  });
});
