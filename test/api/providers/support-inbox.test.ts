import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderAdapters, type ReportPage, type ReportRequest } from '../../../src/modules/integrations/index.ts';
import type { Client } from '../../support/client.ts';
import { capabilityOf, presentEpoch } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { Outside } from '../../support/peers/outside.ts';
import { SupportPeer } from '../../support/peers/providers/support-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const KEY = 'support-inbox';
const WEBSITE = '8c842203-7ed8-4e29-a608-7cf78a7d2fcc';
const OTHER = '11111111-2222-4333-8444-555555555555';
const CONNECTION = 'CANARY-crisp-id-1:CANARY-crisp-key-1Rk7';
const REPORTING = { identifier: 'CANARY-crisp-id-2', key: 'CANARY-crisp-key-2Tq8' };
const app = new TestApp();
let outside: Outside;
let peer: SupportPeer;
let place: Workplace;
let at: string;

beforeAll(async () => {
  outside = await Outside.start();
  peer = await SupportPeer.start(outside);
  peer.keypairs.set(`website ${CONNECTION}`, WEBSITE);
  peer.keypairs.set(`plugin ${REPORTING.identifier}:${REPORTING.key}`, WEBSITE);
  await app.open();
  outside.surround(app);
  place = await Workplace.open(app);
  at = place.path(`/integrations/${KEY}`);
});
beforeEach(() => peer.reset());
afterAll(async () => {
  expect(peer.faults).toEqual([]);
  await app.close();
  await peer.mcp.stop();
  outside.stop();
});

const connect = (apiKey = CONNECTION) => place.owner.put(`${at}/credential`, { kind: 'api_key', apiKey });
const save = (websiteId: string) => place.owner.put(`${at}/settings`, { settings: { kind: KEY, websiteId } });
const report = (given: object | null = {}) =>
  place.owner.put(`${at}/reporting-credential`, {
    credential: given && { kind: 'rest_key', websiteId: WEBSITE, ...REPORTING, tier: 'plugin', ...given },
  });
type Answer = Awaited<ReturnType<Client['put']>>;
const wordOf = ({ status, body }: Answer) => [status, body.error.issues[0].path, body.error.issues[0].code];

describe('a credential', () => {
  it('is refused where it is no keypair, or not one that the provider knows', async () => {
    expect(wordOf(await connect('alone'))).toEqual([400, 'apiKey', 'invalid_text']);
    expect(wordOf(await connect('nobody:nothing'))).toEqual([400, 'apiKey', 'provider_rejected']);
  });

  it('gives agents the tools of the provider’s server', async () => {
    const { status, body } = await connect();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ readiness: 'ready', endpoint: null, connection: { type: 'mcp' } });
    expect(body.data.tools.map(({ name, access }: { name: string; access: string }) => [name, access])).toEqual([
      ['list_conversations', 'read'],
      ['send_note', 'write'],
    ]);
    const { agent } = await place.run({}, 'support');
    const { caller, pathTo } = await capabilityOf(place, agent, { id: '', key: KEY });
    const called = await caller.post(pathTo('/tools/list_conversations/call'), { arguments: {} });
    expect(called.body.data).toMatchObject({ status: 'succeeded' });
    expect(called.text).not.toContain('CANARY');
  });
});

describe('settings', () => {
  beforeAll(() => connect());

  it('name a website of the keypair, in lower case', async () => {
    expect(wordOf(await report())).toEqual([409, '', 'no_settings']);
    expect(wordOf(await save(OTHER))).toEqual([400, 'settings', 'provider_rejected']);
    expect(wordOf(await save('../../x'))).toEqual([400, 'settings.websiteId', 'invalid_text']);
    const { status, body } = await save(WEBSITE.toUpperCase());
    expect([status, body.data.settings]).toEqual([200, { kind: KEY, websiteId: WEBSITE }]);
    const { rows } = await app.db.query('select verified_resources as resources from integration where id = $1', [
      body.data.id,
    ]);
    expect(rows[0].resources).toEqual([{ accountId: WEBSITE, resourceId: WEBSITE, name: 'Acme', environment: 'live' }]);
  });

  it('are looked at by a check', async () => {
    const well = await place.owner.post(`${at}/check`);
    expect(well.body.data.readiness).toBe('ready');
    peer.refusal = { status: 404, body: { error: true, reason: 'website_not_found', data: {} } };
    const gone = await place.owner.post(`${at}/check`);
    expect(gone.body.data.readiness).toBe('degraded');
    expect(gone.body.data.health.observations).toContainEqual(
      expect.objectContaining({ scope: `resource:${WEBSITE}`, code: 'resource_missing' }),
    );
    peer.refusal = undefined;
    await place.owner.post(`${at}/check`);
  });
});

describe('a reporting credential', () => {
  it('is of the website of the settings, and reads conversations; it moves no epoch', async () => {
    const before = await presentEpoch(place);
    const { status, body, text } = await report();
    expect([status, body.data.hasReportingCredentials]).toEqual([200, true]);
    expect(text).not.toContain('CANARY');
    expect(peer.asked).toEqual([
      `GET /v1/website/${WEBSITE}`,
      `GET /v1/website/${WEBSITE}/conversations/1?per_page=20`,
    ]);
    expect(await presentEpoch(place)).toBe(before);
    // Another credential of the connection leaves it.
    expect((await connect()).body.data).toMatchObject({
      hasReportingCredentials: true,
      settings: { websiteId: WEBSITE },
    });
  });

  it.each<[object, string]>([
    [{ websiteId: OTHER }, 'credential.websiteId'],
    [{ tier: 'website' }, 'credential.key'],
    [{ key: 'CANARY-wrong' }, 'credential.key'],
  ])('is refused %j, and nothing is stored', async (given, path) => {
    await report(null);
    expect(wordOf(await report(given))).toEqual([400, path, 'provider_rejected']);
    expect((await place.owner.get(at)).body.data.hasReportingCredentials).toBe(false);
  });

  it.each([420, 429, 500])('is 503 where the provider answers %i', async (status) => {
    peer.refusal = { status, body: { error: true, reason: 'CANARY-text' } };
    const answer = await report();
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain('CANARY');
  });

  it('goes without a word to the provider', async () => {
    await report();
    peer.reset();
    expect((await report(null)).body.data.hasReportingCredentials).toBe(false);
    expect(peer.asked).toEqual([]);
  });
});

describe('reads for reports', () => {
  const resource = { accountId: WEBSITE, resourceId: WEBSITE, name: 'Acme', environment: 'live' };
  const access = { endpoint: null, secret: { kind: 'rest_key', ...REPORTING, tier: 'plugin' }, mcp: null } as const;
  const window = { from: '2026-03-28', to: '2026-03-31', timezone: 'Europe/Berlin', grain: 'day' } as const;

  /** All pages of a report. */
  async function pagesOf(key: string): Promise<readonly ReportPage[]> {
    const report = app.app
      .get(ProviderAdapters)
      .of(KEY)!
      .reports!.find((each) => each.key === key)!;
    const pages: ReportPage[] = [];
    let checkpoint: ReportRequest<unknown>['checkpoint'] = null;
    do {
      const request = { settings: { websiteId: WEBSITE }, resource, ...window, checkpoint };
      const page: ReportPage = await report.next(request, access, outside.net(['https://api.crisp.chat']));
      pages.push(page);
      ({ checkpoint } = page);
    } while (checkpoint);
    return pages;
  }
  const began = (count: number, at: string, more: object = {}) =>
    Array.from({ length: count }, (_, index) => ({
      session_id: `session_${at}_${index}`,
      website_id: WEBSITE,
      created_at: Date.parse(at),
      state: 'unresolved' as const,
      meta: { nickname: 'CANARY-person', email: 'CANARY@buyer.example' },
      ...more,
    }));

  it('count conversations by the day of the organization, with nothing of the people', async () => {
    peer.conversations = [
      ...began(60, '2026-03-28T23:30:00Z'),
      ...began(1, '2026-03-28T22:30:00Z'),
      ...began(1, '2026-03-27T22:59:59Z'),
      ...began(1, '2026-03-30T22:00:00Z'),
      ...began(1, '2026-03-30T21:59:59Z'),
    ];
    const pages = await pagesOf('created');
    expect(JSON.stringify(pages)).not.toContain('CANARY');
    const days = pages.flatMap(({ items }) => items.map(({ entries }) => entries[0]!.period));
    const counts = Object.groupBy(days, (day) => day);
    expect(Object.entries(counts).map(([day, all]) => [day, all!.length])).toEqual([
      ['2026-03-30', 1],
      ['2026-03-29', 60],
      ['2026-03-28', 1],
    ]);
    expect(pages).toHaveLength(3);
  });

  it('count what is open and what waits at the end', async () => {
    peer.conversations = [
      ...began(55, '2026-03-01T10:00:00Z'),
      ...began(2, '2026-03-02T10:00:00Z', { waiting_since: 1_775_000_000_000 }),
      ...began(3, '2026-03-03T10:00:00Z', { state: 'resolved' }),
    ];
    const pages = await pagesOf('open');
    expect(pages.flatMap(({ items }) => items)).toEqual([
      {
        key: 'open',
        entries: [
          { measure: 'conversations_open', period: '2026-03-30', value: '57' },
          { measure: 'conversations_waiting', period: '2026-03-30', value: '2' },
        ],
      },
    ]);
    expect(pages).toHaveLength(3);
  });

  it('end at forty pages, and say what was not read whole', async () => {
    peer.conversations = [...began(1_990, '2026-03-29T12:00:00Z'), ...began(30, '2026-03-28T12:00:00Z')];
    const created = await pagesOf('created');
    expect([created.length, created.at(-1)!.wholeFrom]).toEqual([40, '2026-03-29']);
    const open = await pagesOf('open');
    expect(open.at(-1)!.items[0]!.entries).toMatchObject([
      { value: null, reason: 'truncated' },
      { value: null, reason: 'truncated' },
    ]);
  });

  it('fail as a whole where a row is of another website', async () => {
    peer.conversations = began(2, '2026-03-29T12:00:00Z', { website_id: OTHER });
    await expect(pagesOf('created')).rejects.toMatchObject({ failure: { code: 'bad_answer' } });
  });
});
