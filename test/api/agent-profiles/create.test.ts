import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { catalogFolder, edition, emptyFolder, publish } from '../../support/factories/catalog-folder.ts';
import { organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true, env: { CATALOG_DIR: emptyFolder() } });
const owner = usePerson(app);
let organizationId: string;
let path: string;
let older: string;
let current: string;

/** The current catalog has an entry `growth-ads` and, since the organization was made, none for support. */
const slimmer = () =>
  catalogFolder(
    (catalog) => {
      catalog.version = 2;
      catalog.commonMcpServerKeys = ['common-server'];
      const growth = catalog.profiles.find(({ key }: { key: string }) => key === 'growth');
      const support = catalog.profiles.find(({ key }: { key: string }) => key === 'support');
      Object.assign(support, { ...growth, key: 'growth-ads', skillKeys: ['ads', 'execution-protocol'] });
    },
    { 'growth-ads': 'Buy ads.' },
  );

beforeAll(async () => {
  older = await publish(app, edition(1));
  organizationId = await organizationOf(owner);
  path = `/organizations/${organizationId}/agent-profiles`;
  current = await publish(app, slimmer());
});

let counter = 0;
const body = (overrides: Record<string, unknown> = {}) => ({
  key: `growth-${(counter += 1)}`,
  name: 'Growth: more',
  kind: 'department',
  department: 'growth',
  ...overrides,
});

describe('POST /organizations/{organizationId}/agent-profiles: 201', () => {
  it('takes how many of its runs may be live', async () => {
    const { status, body: answer } = await owner.post(path, body({ config: { maxLiveRuns: 12 } }));
    expect([status, answer.data.config.maxLiveRuns]).toEqual([201, 12]);
    expect((await owner.get(`${path}/${answer.data.id}`)).body.data).toEqual(answer.data);
  });

  it('takes what is left out from the department’s entry of the current catalog', async () => {
    const answer = await owner.post(path, body({ key: 'growth-seo' }));
    expect(answer.status).toBe(201);
    const root = `service://organizations/${organizationId}/profiles/growth-seo`;
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId,
      key: 'growth-seo',
      name: 'Growth: more',
      kind: 'department',
      department: 'growth',
      status: 'enabled',
      rootUri: root,
      instructionsUri: `service://catalog/${current}/growth/instructions`,
      config: {
        defaultRunMode: 'execute',
        toolPolicyKeys: ['ask-before-write', 'cited-metrics', 'task-planning'],
        memoryRootUri: `${root}/memory`,
        runtime: { model: 'default', reasoningEffort: 'medium' },
        skillKeys: expect.arrayContaining(['execution-protocol', 'market-research']),
        mcpServerKeys: ['common-server'],
        maxLiveRuns: 3,
        catalogSource: { templateKey: 'growth', revision: current, updatePolicy: 'auto' },
      },
      createdAt: expect.stringMatching(/\.\d{6}Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await owner.get(`${path}/${answer.body.data.id}`)).body.data).toEqual(answer.body.data);
  });

  it('prefers the entry of its own key', async () => {
    const { data } = (await owner.post(path, body({ key: 'growth-ads' }))).body;
    expect(data.instructionsUri).toBe(`service://catalog/${current}/growth-ads/instructions`);
    expect(data.config.catalogSource.templateKey).toBe('growth-ads');
    expect(data.config.skillKeys).toEqual(['execution-protocol', 'durable-progress', 'evidence-keeping', 'ads']);
  });

  it('starts with empty lists where the catalog has no entry', async () => {
    const { data } = (await owner.post(path, body({ key: 'support-eu', department: 'support' }))).body;
    expect(data.config).toMatchObject({
      defaultRunMode: 'execute',
      toolPolicyKeys: [],
      skillKeys: [],
      mcpServerKeys: [],
      maxLiveRuns: 3,
      catalogSource: { templateKey: 'support', revision: current, updatePolicy: 'auto' },
    });
  });

  it('merges `config` one level deep and replaces its lists', async () => {
    const config = {
      defaultRunMode: 'plan',
      runtime: { model: 'large' },
      skillKeys: ['one'],
      memoryRootUri: 'x://y/z',
    };
    const { data } = (await owner.post(path, body({ config }))).body;
    expect(data.config).toMatchObject({
      defaultRunMode: 'plan',
      runtime: { model: 'large', reasoningEffort: 'medium' },
      skillKeys: ['one'],
      toolPolicyKeys: ['ask-before-write', 'cited-metrics', 'task-planning'],
      memoryRootUri: 'x://y/z',
    });
  });

  it('passes other URIs on unread', async () => {
    const uris = { rootUri: 'git+ssh://host/repo.git', instructionsUri: 'https://unreachable.invalid/a%20b.md?v=1#x' };
    const { status, body: answer } = await owner.post(path, body(uris));
    expect(status).toBe(201);
    expect(answer.data).toMatchObject(uris);
  });

  it.each([
    ['a revision pins', () => ({ revision: older }), () => [older, 'growth', 'pinned']],
    [
      'a revision with `auto` follows',
      () => ({ revision: older, updatePolicy: 'auto' }),
      () => [older, 'growth', 'auto'],
    ],
    ['a template stays `auto`', () => ({ templateKey: 'engineering' }), () => [current, 'engineering', 'auto']],
    ['a policy alone', () => ({ updatePolicy: 'pinned' }), () => [current, 'growth', 'pinned']],
    [
      'a template of a revision',
      () => ({ templateKey: 'support', revision: older }),
      () => [older, 'support', 'pinned'],
    ],
  ])('catalogSource: %s', async (_what, catalogSource, expected) => {
    const { status, body: answer } = await owner.post(path, body({ config: { catalogSource: catalogSource() } }));
    expect(status).toBe(201);
    const [revision, templateKey, updatePolicy] = expected();
    expect(answer.data.config.catalogSource).toEqual({ templateKey, revision, updatePolicy });
    expect(answer.data.instructionsUri).toBe(`service://catalog/${revision}/${templateKey}/instructions`);
    expect(answer.data.config.runtime.model).toBe(
      revision === older && templateKey === 'growth' ? 'model-1' : 'default',
    );
  });

  it('answers a repeat with the same data, and says so', async () => {
    const [key, details] = [{ 'idempotency-key': randomUUID() }, body()];
    const first = await owner.post(path, details, key);
    const again = await owner.post(path, details, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.data).toEqual(first.body.data);
    expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
  });

  it('is in the activity log', async () => {
    const { data } = (await owner.post(path, body())).body;
    const { body: log } = await owner.get(`/organizations/${organizationId}/activity?subjectId=${data.id}`);
    expect(log.data).toMatchObject([
      { verb: 'agent_profile.created', subject: { kind: 'agent_profile', id: data.id } },
    ]);
  });
});

const SOURCE = 'config.catalogSource';
const source = (catalogSource: object) => ({ config: { catalogSource } });
const runtime = (part: object) => ({ config: { runtime: part } });

describe('POST /organizations/{organizationId}/agent-profiles: 400', () => {
  it.each([
    ['no key', { key: undefined }, 'key', 'required'],
    ['no name', { name: undefined }, 'name', 'required'],
    ['no kind', { kind: undefined }, 'kind', 'required'],
    ['an empty name', { name: '' }, 'name', 'invalid_length'],
    ['a long name', { name: 'x'.repeat(201) }, 'name', 'invalid_length'],
    ['a key that is no slug', { key: 'Growth_Ads' }, 'key', 'invalid_slug'],
    ['a doubled hyphen', { key: 'growth--ads' }, 'key', 'invalid_slug'],
    ['a long key', { key: 'x'.repeat(101) }, 'key', 'invalid_slug'],
    ['a UUID as key', { key: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' }, 'key', 'invalid_slug'],
    ['an unknown kind', { kind: 'robot' }, 'kind', 'unknown_value'],
    ['an unknown department', { department: 'sales' }, 'department', 'unknown_value'],
    ['an unknown status', { status: 'deleted' }, 'status', 'unknown_value'],
    ['no department', { department: undefined }, 'department', 'required'],
    ['a null department', { department: null }, 'department', 'required'],
    ['another department’s key', { key: 'support' }, 'key', 'key_of_department'],
    ['the operator’s key', { key: 'operator' }, 'key', 'key_of_kind'],
    ['an operator with another key', { kind: 'operator', department: undefined }, 'key', 'key_of_kind'],
    ['a chat of a department', { kind: 'chat', key: 'chat' }, 'department', 'not_of_kind'],
    ['a relative URI', { rootUri: '/profiles/x' }, 'rootUri', 'invalid_uri'],
    ['a URI with blanks', { instructionsUri: 'https://a.example/b c' }, 'instructionsUri', 'invalid_uri'],
    ['an unknown property', { catalogSource: {} }, 'catalogSource', 'unknown_property'],
    ['one deeper', { config: { colour: 'red' } }, 'config.colour', 'unknown_property'],
    ['an empty effort', runtime({ reasoningEffort: '' }), 'config.runtime.reasoningEffort', 'invalid_length'],
    ['a long effort', runtime({ reasoningEffort: 'x'.repeat(41) }), 'config.runtime.reasoningEffort', 'invalid_length'],
    ['a name that nobody can see', { name: '\u200B\u2060' }, 'name', 'blank'],
    ['a list with repeats', { config: { skillKeys: ['a', 'a'] } }, 'config.skillKeys', 'duplicate_item'],
    ['a malformed revision', source({ revision: 'v1' }), `${SOURCE}.revision`, 'invalid_revision'],
    ['an unknown revision', source({ revision: 'a'.repeat(64) }), `${SOURCE}.revision`, 'unknown_reference'],
    ['an unknown template', source({ templateKey: 'sales' }), `${SOURCE}.templateKey`, 'unknown_reference'],
    ['a template of old', source({ templateKey: 'support' }), `${SOURCE}.templateKey`, 'unknown_reference'],
  ])('refuses %s', async (_what, overrides, at, code) => {
    const { status, body: answer } = await owner.post(path, body(overrides));
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ code: 'validation_failed', issues: [{ path: at, code }] });
  });

  it('wants a UUID as Idempotency-Key', async () => {
    const { status, body: answer } = await owner.post(path, body(), { 'idempotency-key': 'mine' });
    expect([status, answer.error.issues[0].path]).toEqual([400, 'Idempotency-Key']);
  });
});

describe('POST /organizations/{organizationId}/agent-profiles: 404', () => {
  it('knows nothing of an organization to those who are no member', async () => {
    const { status, body: answer } = await (await app.person()).post(path, body());
    expect([status, answer.error.code]).toEqual([404, 'organization_not_found']);
  });
});

describe('POST /organizations/{organizationId}/agent-profiles: 409', () => {
  it.each([
    ['a key in use', { key: 'growth' }],
    ['a second operator', { key: 'operator', kind: 'operator', department: undefined }],
    ['a second chat', { key: 'chat', kind: 'chat', department: null }],
  ])('refuses %s and leaves the Idempotency-Key unused', async (_what, overrides) => {
    const key = { 'idempotency-key': randomUUID() };
    const { status, body: answer } = await owner.post(path, body(overrides), key);
    expect([status, answer.error.code]).toEqual([409, 'state_conflict']);
    expect((await owner.post(path, body(), key)).status).toBe(201);
  });

  it('refuses a key that was used for other details', async () => {
    const key = { 'idempotency-key': randomUUID() };
    await owner.post(path, body(), key);
    const { status, body: answer } = await owner.post(path, body(), key);
    expect([status, answer.error.code]).toEqual([409, 'state_conflict']);
  });

  it('lets one of many simultaneous creations have the key', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => owner.post(path, body({ key: 'contended' }))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(7).fill(409)]);
  });
});
