import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ObjectStore } from '../../../src/kernel/storage/index.ts';
import {
  complete,
  materialOf,
  nameDetails,
  onboardingOf,
  onboardingPath,
  reviewed,
  shell,
  sourceOf,
  sourcePath,
  storeSource,
} from '../../support/factories/onboardings.ts';
import { startedRun } from '../../support/factories/work.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);

const record = async (id: string) => (await owner.get(onboardingPath(id))).body.data;
const codesOf = (review: { warnings: { code: string }[] }) => review.warnings.map(({ code }) => code);

/** Takes the stored bytes away, as a store does that loses them. */
async function loseBytes(organizationId: string): Promise<void> {
  const objects = app.app.get(ObjectStore);
  for await (const { key } of objects.list(`organizations/${organizationId}/onboarding`)) await objects.delete(key);
}

/** An onboarding with one text for everybody, about which nothing is to be warned. */
async function ready(given?: object): Promise<string> {
  const organizationId = await onboardingOf(owner);
  await nameDetails(owner, organizationId);
  await sourceOf(owner, organizationId, { bytes: 'We sell blue paint.', ...given });
  return organizationId;
}

const passagesOf = async (organizationId: string) =>
  (await app.db.query('select from knowledge_passage where organization_id = $1', [organizationId])).rowCount;

describe('a review', () => {
  it('tells what there is, without times, and the same for the same material', async () => {
    const organizationId = await ready({ fileName: 'about.txt' });
    const { state, review, startedAt, sources } = await reviewed(app, owner, organizationId);
    const [{ createdAt: _, ...source }] = sources;
    expect([state, typeof startedAt]).toEqual(['review_ready', 'string']);
    const { slug } = (await owner.get(`/organizations/${organizationId}`)).body.data;
    expect(review).toEqual({
      version: 1,
      extractorVersion: expect.any(String),
      organizationId,
      facts: {
        name: 'Shell',
        slug,
        timezone: 'Europe/Berlin',
        departments: ['growth', 'support'],
        website: 'https://acme.example',
        defaultCurrency: 'EUR',
      },
      sources: [{ ...source, foundMediaType: 'text/plain', characters: 19, pages: null, truncated: false }],
      warnings: [],
      summary: '1 of 1 sources can be read, with 19 characters of text; 0 warnings.',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await reviewed(app, owner, organizationId)).review).toEqual(review);
    const verbs = (await owner.get(`/organizations/${organizationId}/activity`)).body.data.map(
      ({ verb }: { verb: string }) => verb,
    );
    expect(verbs.slice(0, 2)).toEqual(['onboarding.reviewed', 'onboarding.started']);
  });

  it('warns of what is missing, twice there, or for nobody', async () => {
    const organizationId = await onboardingOf(owner, { departments: ['growth', 'engineering'] });
    await sourceOf(owner, organizationId, { department: 'growth' });
    await sourceOf(owner, organizationId, { department: 'growth', fileName: 'again.txt' });
    await sourceOf(owner, organizationId, { department: 'support', bytes: 'Help.' });
    const { review } = await reviewed(app, owner, organizationId);
    expect(codesOf(review)).toEqual([
      'currency_missing',
      'department_not_chosen',
      'department_without_material',
      'duplicate',
      'website_missing',
    ]);
    expect(review.warnings[2]).toMatchObject({ sourceId: null, department: 'engineering' });
    for (const { message } of review.warnings) expect(message).toMatch(/\.$/);
  });

  it('writes passages that nobody finds, and that go with their source', async () => {
    const organizationId = await ready();
    const { sources } = await reviewed(app, owner, organizationId);
    const path = `/organizations/${organizationId}/knowledge`;
    expect(await passagesOf(organizationId)).toBe(1);
    expect((await owner.get(`${path}?search=paint`)).body.data.items).toEqual([]);
    const [{ sourceId }] = sources;
    expect((await storeSource(owner, organizationId, { sourceId, bytes: 'We sell red paint.' })).status).toBe(201);
    expect(await passagesOf(organizationId)).toBe(0);
    await reviewed(app, owner, organizationId);
    expect(await passagesOf(organizationId)).toBe(1);
    expect((await owner.delete(sourcePath(organizationId, sourceId))).status).toBe(200);
    expect(await passagesOf(organizationId)).toBe(0);
  });

  it('fails where the stored bytes are gone or others, until the source is stored again', async () => {
    for (const damage of ['gone', 'changed']) {
      const organizationId = await ready();
      const [{ sourceId }] = (await record(organizationId)).sources;
      const objects = app.app.get(ObjectStore);
      for await (const { key } of objects.list(`organizations/${organizationId}/onboarding`)) {
        await objects.delete(key);
        if (damage === 'changed') await objects.put(key, Readable.from([Buffer.from('other')]), { maxBytes: 5 });
      }
      const failed = await reviewed(app, owner, organizationId);
      expect(failed).toMatchObject({ state: 'failed', review: null, error: { code: 'bytes_damaged', sourceId } });
      expect((await complete(owner, organizationId, { reviewSha256: 'a'.repeat(64) })).status).toBe(409);
      await owner.delete(sourcePath(organizationId, sourceId));
      await sourceOf(owner, organizationId, { sourceId });
      expect((await reviewed(app, owner, organizationId)).state).toBe('review_ready');
      expect(await materialOf(app, organizationId)).toEqual({ sources: 1, uploads: 0, objects: 1 });
    }
  });

  it('fails again where bytes go that it read before, until the same file is stored again', async () => {
    const organizationId = await ready();
    const [{ sourceId }] = (await record(organizationId)).sources;
    expect((await reviewed(app, owner, organizationId)).state).toBe('review_ready');
    await loseBytes(organizationId);
    expect(await reviewed(app, owner, organizationId)).toMatchObject({
      state: 'failed',
      error: { code: 'bytes_damaged', sourceId },
    });
    await sourceOf(owner, organizationId, { sourceId, bytes: 'We sell blue paint.' });
    expect(await record(organizationId)).toMatchObject({ state: 'draft', error: null });
    expect((await reviewed(app, owner, organizationId)).state).toBe('review_ready');
    expect(await materialOf(app, organizationId)).toEqual({ sources: 1, uploads: 0, objects: 1 });
  });

  it('keeps no credentials of a text in passages and findings', async () => {
    const key = (lines: number) => [
      '-----BEGIN PRIVATE KEY-----',
      ...Array(lines).fill('MIIEvQIBADANBgkqhki'.repeat(3)),
      '-----END PRIVATE KEY-----',
    ];
    const bytes = [
      'Our token is brt_AbCdEfGhIjKlMnOpQrStUvWxYz012345.',
      'The other one is sk-proj-abcdefghij0123456789abcdefghij.',
      key(90).join('\n'),
      'We sell paint.',
    ].join('\n\n');
    const organizationId = await ready({ bytes });
    await reviewed(app, owner, organizationId);
    const { rows } = await app.db.query(
      `select string_agg(p.text, ' ') as text, min(s.result->>'finding') as finding from knowledge_passage p
       join onboarding_source s on s.organization_id = p.organization_id where p.organization_id = $1`,
      [organizationId],
    );
    for (const found of [rows[0].text as string, rows[0].finding as string]) {
      expect(found).toContain('[redacted]');
      expect(found).not.toMatch(/AbCdEfGhIjKlMnOp|abcdefghij0123|MIIEvQ/);
    }
    expect(rows[0].text).toContain('We sell paint.');
  });

  it('takes a source over which two processes died for too complex, and tries it again when it is started again', async () => {
    const organizationId = await ready();
    await app.db.query('update onboarding_source set deaths = 2 where organization_id = $1', [organizationId]);
    await app.db.query(`update onboarding set state = 'reviewing' where organization_id = $1`, [organizationId]);
    await app.runJob('onboarding-reviews');
    const { review, state } = await record(organizationId);
    expect([state, codesOf(review)]).toEqual([
      'review_ready',
      ['department_without_material', 'department_without_material', 'too_complex'],
    ]);
    expect(codesOf((await reviewed(app, owner, organizationId)).review)).toEqual([]);
  });

  it('fails after three leases that lapsed without a source being read, and not while one holds', async () => {
    const organizationId = await ready();
    const lease = (until: string, lapses: number) =>
      app.db.query(
        `update onboarding set state = 'reviewing', lapses = $3, lease_expires_at = now() + $2::interval
         where organization_id = $1`,
        [organizationId, until, lapses],
      );
    await lease('1 minute', 2);
    await app.runJob('onboarding-reviews');
    expect((await record(organizationId)).state).toBe('reviewing');
    await lease('-1 second', 2);
    await app.runJob('onboarding-reviews');
    expect(await record(organizationId)).toMatchObject({
      state: 'failed',
      error: { code: 'review_failed', sourceId: null },
    });
    await lease('-1 second', 1);
    await app.runJob('onboarding-reviews');
    expect((await record(organizationId)).state).toBe('review_ready');
  });

  it('comes to organizations in turn, a source each', async () => {
    const ids = [await ready(), await ready()];
    for (const id of ids) {
      await sourceOf(owner, id, { bytes: 'More.' });
      await owner.post(`${onboardingPath(id)}/start`);
    }
    await app.db.query(`create table if not exists read_order (at bigserial, whose uuid)`);
    await app.db.query(`
      create or replace function note_read() returns trigger language plpgsql security definer as $$
      begin insert into read_order (whose) values (new.organization_id); return new; end $$;
      create trigger note_read after update of result on onboarding_source for each row execute function note_read()`);
    await app.runJob('onboarding-reviews');
    await app.db.query('drop trigger note_read on onboarding_source');
    const { rows } = await app.db.query('select whose as id from read_order order by at');
    expect(rows.map(({ id }) => ids.indexOf(id as string))).toEqual([0, 1, 0, 1]);
  });
});

describe('POST …/onboarding/complete: 200', () => {
  it('makes the organization active with all that it needs, once', async () => {
    const organizationId = await onboardingOf(owner);
    await nameDetails(owner, organizationId);
    await sourceOf(owner, organizationId, { bytes: 'We sell blue paint.', fileName: 'all.txt' });
    await sourceOf(owner, organizationId, {
      bytes: 'Leads come from fairs.',
      fileName: 'leads.txt',
      department: 'growth',
    });
    const { review } = await reviewed(app, owner, organizationId);
    const body = { reviewSha256: review.sha256.toUpperCase() };
    const answer = await complete(owner, organizationId, body);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      state: 'completed',
      review: { sha256: review.sha256 },
      organization: { id: organizationId, status: 'active', onboardedAt: expect.any(String) },
    });
    const again = await complete(owner, organizationId, body);
    expect([again.status, again.body.data]).toEqual([200, answer.body.data]);
    const lists = await Promise.all(
      ['agent-profiles', 'chats', 'knowledge'].map(
        async (list) => (await owner.get(`/organizations/${organizationId}/${list}`)).body.data,
      ),
    );
    expect(lists[0].map(({ key, status }: { key: string; status: string }) => `${key} ${status}`).toSorted()).toEqual([
      'chat enabled',
      'growth enabled',
      'operator enabled',
      'support enabled',
    ]);
    expect(lists[1].map(({ isOnboardingChat }: { isOnboardingChat: boolean }) => isOnboardingChat)).toEqual([
      false,
      true,
    ]);
    const discovery = (await owner.get(`/organizations/${organizationId}/discovery`)).body.data;
    expect(discovery.status).toBe('researching');
    const { rows } = await app.db.query('select key from discovery_intention where organization_id = $1 order by key', [
      organizationId,
    ]);
    expect(rows.map(({ key }) => key as string)).toEqual([
      'company_profile',
      'customers',
      'growth',
      'market',
      'support',
    ]);
    const metadataOf = (title: string) =>
      lists[2].items.find(({ metadata }: { metadata: { title: string } }) => metadata.title === title);
    expect(lists[2].items).toHaveLength(2);
    const source = answer.body.data.sources[1];
    expect(metadataOf('leads.txt')).toMatchObject({
      origin: 'material',
      freshness: 'current',
      metadata: {
        key: `material-${source.sourceId}`,
        finding: 'Leads come from fairs.',
        visibility: 'department',
        department: 'growth',
        evidence: [{ runId: null, sourceId: source.sourceId, path: 'leads.txt', sha256: source.sha256 }],
      },
    });
    expect(metadataOf('all.txt')).toMatchObject({ metadata: { visibility: 'organization', department: null } });
  });

  it('lets agents of a department read its own material and everybody’s', async () => {
    const organizationId = await ready();
    const everybodys = (await record(organizationId)).sources[0].sourceId;
    const growths = await sourceOf(owner, organizationId, { department: 'growth', bytes: 'Leads.' });
    const { review } = await reviewed(app, owner, organizationId);
    await complete(owner, organizationId, { reviewSha256: review.sha256 });
    const statuses = async (profile: string) => {
      const agent = app.client((await startedRun(app, organizationId, { profile })).executionToken);
      const answers = await Promise.all(
        [everybodys, growths].map((id) => agent.get(`${sourcePath(organizationId, id)}/content`)),
      );
      return answers.map(({ status }) => status);
    };
    expect(await statuses('growth')).toEqual([200, 200]);
    expect(await statuses('support')).toEqual([200, 404]);
    expect(await statuses('operator')).toEqual([200, 200]);
  });
});

describe('POST …/onboarding/complete: 409', () => {
  const refused = async (organizationId: string, body: object, code: string | undefined, before: string) => {
    const { status, body: answer } = await complete(owner, organizationId, body);
    expect([status, answer.error.code, answer.error.issues?.[0].code]).toEqual([409, 'request_failed', code]);
    expect((await record(organizationId)).state).toBe(before);
    expect((await owner.get(`/organizations/${organizationId}`)).body.data.status).toBe('onboarding');
    return answer.message;
  };

  it('before there is a review', async () => {
    await refused(await ready(), { reviewSha256: 'a'.repeat(64) }, undefined, 'draft');
  });

  it('for another review, and where a fact has changed since', async () => {
    const organizationId = await ready();
    const { review } = await reviewed(app, owner, organizationId);
    const other = await refused(organizationId, { reviewSha256: 'a'.repeat(64) }, 'review_stale', 'review_ready');
    expect(other).toContain('read the onboarding');
    await owner.patch(`/organizations/${organizationId}`, { name: 'Renamed' });
    const changed = await refused(organizationId, { reviewSha256: review.sha256 }, 'review_stale', 'review_ready');
    expect(changed).toBe('What was reviewed has changed since: start the review again.');
    const renewed = await reviewed(app, owner, organizationId);
    expect((await complete(owner, organizationId, { reviewSha256: renewed.review.sha256 })).status).toBe(200);
    expect((await complete(owner, organizationId, { reviewSha256: review.sha256 })).status).toBe(409);
    for (const answer of [
      await owner.delete(onboardingPath(organizationId)),
      await owner.post(`${onboardingPath(organizationId)}/start`),
      await storeSource(owner, organizationId),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([409, 'request_failed']);
  });

  it('with warnings, unless they are allowed', async () => {
    const organizationId = await onboardingOf(owner);
    await sourceOf(owner, organizationId);
    const { review } = await reviewed(app, owner, organizationId);
    const body = { reviewSha256: review.sha256 };
    await refused(organizationId, body, 'warnings_not_allowed', 'review_ready');
    await refused(organizationId, { ...body, allowWarnings: false }, 'warnings_not_allowed', 'review_ready');
    expect((await complete(owner, organizationId, { ...body, allowWarnings: true })).status).toBe(200);
  });
});

describe('POST …/onboarding/complete: 400, 404, 503', () => {
  it('is 400 for no digest', async () => {
    const { status, body } = await complete(owner, await ready(), { reviewSha256: 'x' });
    expect([status, body.error.code, body.error.issues[0].path]).toEqual([400, 'request_failed', 'reviewSha256']);
  });

  it('is 404 for an unknown organization', async () => {
    const { status, body } = await complete(owner, randomUUID(), { reviewSha256: 'a'.repeat(64) });
    expect([status, body.error.code]).toEqual([404, 'request_failed']);
  });

  it('is 503 without a catalog, and changes nothing', async () => {
    const organizationId = await ready();
    const { review } = await reviewed(app, owner, organizationId);
    const catalog = await app.db.query('select * from catalog_revision');
    await app.db.query('delete from catalog_revision');
    const { status, body } = await complete(owner, organizationId, { reviewSha256: review.sha256 });
    for (const row of catalog.rows)
      await app.db.query(
        'insert into catalog_revision select * from jsonb_populate_record(null::catalog_revision, $1)',
        [JSON.stringify(row)],
      );
    expect([status, body.error.code]).toEqual([503, 'request_failed']);
    expect(await record(organizationId)).toMatchObject({ state: 'review_ready', completedAt: null });
    expect((await complete(owner, organizationId, { reviewSha256: review.sha256 })).status).toBe(200);
  });
});

describe('an onboarding', () => {
  it('that is discarded leaves no rows and no bytes', async () => {
    const { slug } = shell();
    const organizationId = await onboardingOf(owner, { slug });
    await sourceOf(owner, organizationId);
    await reviewed(app, owner, organizationId);
    expect((await owner.delete(onboardingPath(organizationId))).status).toBe(200);
    await app.runJob('organization-purge');
    expect(await materialOf(app, organizationId)).toEqual({ sources: 0, uploads: 0, objects: 0 });
    expect(await passagesOf(organizationId)).toBe(0);
    const { rows } = await app.db.query('select from organization where id = $1', [organizationId]);
    expect(rows).toEqual([]);
  });
});
