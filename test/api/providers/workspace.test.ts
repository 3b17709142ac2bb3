import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer, Client } from '../../support/client.ts';
import { AuthorizedAccount } from '../../support/connectors/authorized-account.ts';
import { capabilityOf } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { Outside } from '../../support/peers/outside.ts';
import { WorkspacePeer } from '../../support/peers/providers/workspace-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const SCOPES = [
  'gmail.readonly',
  'gmail.send',
  'calendar.readonly',
  'calendar.events',
  'drive.readonly',
  'spreadsheets.readonly',
  'documents.readonly',
  'contacts.readonly',
].map((name) => `https://www.googleapis.com/auth/${name}`);
const ALL = ['mail', 'calendar', 'drive', 'sheets', 'docs', 'contacts'];

const app = new TestApp();
let outside: Outside;
let peer: WorkspacePeer;
let account: AuthorizedAccount;
let place: Workplace;
let at: string;
let agent: Client;
let caller: Client;
let pathTo: (rest: string) => string;

beforeAll(async () => {
  outside = await Outside.start();
  peer = await WorkspacePeer.start(outside);
  account = await AuthorizedAccount.start(SCOPES);
  await app.open({ env: account.env });
  outside.surround(app);
  account.serve(app);
  place = await Workplace.open(app);
  // What the connector demands of itself is enough here.
  await app.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [place.organizationId]);
  at = place.path('/integrations/workspace');
  await place.owner.put(`${at}/profiles`, { profileGrants: ['growth'], readOnlyProfileKeys: [] });
});
beforeEach(() => peer.forget());
afterEach(() => expect(peer.faults).toEqual([]));
afterAll(async () => {
  await app.close();
  await account.stop();
  outside.stop();
});

const connector = async () => (await place.owner.get(at)).body.data;
const authorize = (services: readonly string[], accessMode = 'autonomous') =>
  account.authorize(app, place.owner, at, { services, accessMode });
const call = (tool: string, args: object = {}) => caller.post(pathTo(`/tools/${tool}/call`), { arguments: args });
const outputOf = ({ body }: Answer) => body.data.output.structuredContent;

async function aRun(): Promise<void> {
  ({ agent } = await place.run());
  const { id, key } = await connector();
  ({ caller, pathTo } = await capabilityOf(place, agent, { id, key }));
}

describe('the tools', () => {
  const names = async () => ((await connector()).tools as { name: string }[]).map(({ name }) => name);

  it('are those of the services that were granted', async () => {
    await authorize(['mail', 'sheets'], 'read_only');
    expect(await names()).toEqual(['mail_search', 'mail_read', 'mail_send', 'sheets_read']);
    await aRun();
    const { body } = await caller.get(pathTo('/tools'));
    expect(body.data.tools.map(({ name }: { name: string }) => name)).toEqual([
      'mail_search',
      'mail_read',
      'sheets_read',
    ]);
    account.issuer.granted = ['openid', 'email', ...SCOPES.filter((scope) => !scope.includes('spreadsheets'))];
    await authorize(['mail', 'sheets']);
    account.issuer.granted = undefined;
    expect(await names()).toEqual(['mail_search', 'mail_read', 'mail_send']);
    await aRun();
    expect((await call('sheets_read', { id: 's1', range: 'A1' })).status).toBe(404);
    expect(peer.requests.filter(({ path }) => !path.endsWith('/userinfo'))).toEqual([]);
  });
});

describe('a check', () => {
  it('asks whose the token is, in one request, and no service', async () => {
    await authorize(ALL);
    peer.forget();
    expect((await place.owner.post(`${at}/check`)).body.data.readiness).toBe('ready');
    expect(peer.requests.map(({ path }) => path)).toEqual(['/v1/userinfo']);
    peer.override = () => ({ body: { sub: 'another' } });
    expect((await place.owner.post(`${at}/check`)).body.data).toMatchObject({
      readiness: 'degraded',
      health: { observations: [{ scope: 'credential', status: 'failed', code: 'credential_refused' }] },
    });
    peer.forget();
    expect((await place.owner.post(`${at}/check`)).body.data.readiness).toBe('ready');
  });
});

describe('calls', () => {
  beforeAll(async () => {
    await authorize(ALL);
    // Services that come later select none of their tools by themselves.
    expect((await place.owner.put(`${at}/tools`, { accessMode: 'autonomous' })).status).toBe(200);
    await aRun();
  });

  it.each<[string, object, object, number]>([
    [
      'mail_search',
      { query: 'from:bo newer_than:7d', limit: 2 },
      {
        messages: [
          {
            id: 'm1',
            subject: 'Order A-1',
            from: 'Bo <bo@acme.test>',
            date: 'Mon, 30 Nov 2026 09:00:00 +0000',
            snippet: 'Where is',
          },
          {
            id: 'm2',
            subject: 'Re: Order A-1',
            from: 'Bo <bo@acme.test>',
            date: 'Mon, 30 Nov 2026 09:00:00 +0000',
            snippet: 'Where is',
          },
        ],
        next_page_token: '9',
      },
      3,
    ],
    [
      'mail_read',
      { id: 'm1' },
      {
        id: 'm1',
        thread_id: 't1',
        headers: {
          Subject: 'Order A-1',
          From: 'Bo <bo@acme.test>',
          To: null,
          Cc: null,
          Date: 'Mon, 30 Nov 2026 09:00:00 +0000',
          'Reply-To': null,
          'Message-ID': null,
        },
        attachments: [{ name: 'order.pdf', type: 'application/pdf' }],
        is_page_only: false,
        text: expect.stringMatching(/^Where is it\? .* é$/),
      },
      1,
    ],
    [
      'calendar_list_events',
      { from: '2026-12-01T00:00:00Z', to: '2026-12-31T00:00:00Z' },
      {
        time_zone: 'Europe/Berlin',
        events: [
          {
            id: 'e1',
            status: 'confirmed',
            title: 'Launch',
            description: null,
            location: null,
            start: '2026-12-01T10:00:00+01:00',
            end: '2026-12-02',
            organizer: null,
            attendees: [{ email: 'bo@acme.test', response: 'accepted' }],
          },
        ],
      },
      1,
    ],
    [
      'drive_search',
      { query: "Bo's plan" },
      {
        files: [
          {
            id: 'd1',
            name: 'Plan',
            type: 'application/vnd.google-apps.document',
            modified_at: '2026-11-01T00:00:00Z',
            bytes: null,
          },
        ],
      },
      1,
    ],
    [
      'drive_read',
      { id: 't1' },
      { id: 't1', name: 'a.csv', type: 'text/csv', modified_at: null, bytes: '3', text: 'a,b' },
      2,
    ],
    [
      'sheets_read',
      { id: 's1', range: 'Orders!A1:B2' },
      {
        range: 'Orders!A1:B2',
        rows: [
          ['Order', 'Total'],
          ['A-1', '19.99'],
        ],
      },
      1,
    ],
    ['docs_read', { id: 'd1' }, { id: 'd1', title: 'Plan', text: 'Plan\nA-1\t19.99\nEnd\n' }, 1],
    [
      'contacts_search',
      { query: 'bo', limit: 50 },
      { contacts: [{ name: 'Bo Berg', emails: ['bo@acme.test'], phones: [], organizations: [] }] },
      1,
    ],
  ])('of %s show what it names, and nothing else', async (tool, args, output, requests) => {
    const answer = await call(tool, args);
    expect(outputOf(answer)).toEqual(output);
    expect(answer.text).not.toContain('CANARY');
    expect(peer.requests).toHaveLength(requests);
    if (tool === 'drive_search')
      expect(peer.requests[0]!.query.get('q')).toBe(String.raw`fullText contains 'Bo\'s plan' and trashed = false`);
    if (tool === 'contacts_search') expect(peer.requests[0]!.query.get('pageSize')).toBe('30');
  });

  it('cut texts and cells to their bounds, and say so', async () => {
    peer.exported = 'é"'.repeat(300_000);
    const text = (await call('drive_read', { id: 'd1' })).body.data;
    expect([text.truncated, Buffer.byteLength(JSON.stringify(text.output.structuredContent)) <= 1_048_576]).toEqual([
      true,
      true,
    ]);
    peer.exported = 'x'.repeat(1_048_577);
    expect((await call('drive_read', { id: 'd1' })).body.data.error).toMatchObject({ code: 'result_too_large' });
    peer.exported = 'short';
    peer.cells = Array.from({ length: 1_001 }, () => Array.from({ length: 10 }, () => '1'));
    const cells = (await call('sheets_read', { id: 's1', range: 'Orders!A1:B2' })).body.data;
    expect([cells.truncated, cells.output.structuredContent.rows.length]).toEqual([true, 1_000]);
  });

  const MAIL = { to: ['bo@acme.test'], subject: 'Hello', text: 'x' };
  const EVENT = { title: 'x', start: '2026-12-01T10:00:00Z', end: '2026-12-01T11:00:00Z' };
  it.each<[string, object, string]>([
    ['mail_search', {}, 'query'],
    ['mail_search', { query: 'x', limit: 51 }, 'limit'],
    ['mail_read', { id: '../profile' }, 'id'],
    ['mail_send', { ...MAIL, to: ['bo@acme.test\r\nBcc: eve@evil.test'] }, 'to.0'],
    ['mail_send', { ...MAIL, to: [] }, 'to'],
    ['mail_send', { ...MAIL, subject: 'a\r\nBcc: eve@evil.test' }, 'subject'],
    ['mail_send', { ...MAIL, text: 'é'.repeat(40_000) }, 'text'],
    ['mail_send', { ...MAIL, from: 'eve@evil.test' }, 'from'],
    ['calendar_list_events', { from: '2026-01-01T00:00:00Z', to: '2026-04-04T00:00:00Z' }, 'to'],
    ['calendar_list_events', { from: '2026-13-01T00:00:00Z', to: '2026-04-04T00:00:00Z' }, 'from'],
    ['calendar_create_event', { ...EVENT, end: EVENT.start }, 'end'],
    ['calendar_create_event', { ...EVENT, calendar_id: '../users' }, 'calendar_id'],
    ['drive_read', { id: 'a/b' }, 'id'],
    ['sheets_read', { id: 's1', range: '..' }, 'range'],
  ])('of %s with %j are 400 without a request', async (tool, args, path) => {
    const { status, body } = await call(tool, args);
    expect([status, body.error.issues[0].path]).toEqual([400, `arguments.${path}`]);
    expect(peer.requests).toEqual([]);
  });

  it.each<[string, string, object, object]>([
    ['a file that is gone', 'drive_read', { id: 'gone' }, { code: 'not_found', providerStatus: 404 }],
    ['a file that is no text', 'drive_read', { id: 'p1' }, { code: 'provider_rejected' }],
    ['a mail that is gone', 'mail_read', { id: 'gone' }, { code: 'not_found' }],
  ])('of %s fail', async (_, tool, args, error) => {
    const answer = await call(tool, args);
    expect(answer.body.data).toMatchObject({ status: 'failed', error });
    expect(answer.text).not.toContain('CANARY');
  });

  it.each([
    ['userRateLimitExceeded', 'rate_limited'],
    ['cannotExportFile', 'provider_rejected'],
    ['accessNotConfigured', 'unavailable'],
  ])('that are refused for %s are %s, which says nothing of the credential', async (reason, code) => {
    peer.override = () => ({ status: 403, body: { error: { errors: [{ reason }] } } });
    expect((await call('docs_read', { id: 'd1' })).body.data.error).toMatchObject({ code, providerStatus: 403 });
    expect((await connector()).readiness).toBe('ready');
  });

  it('that send do it once, as an action, with the whole mail', async () => {
    const mail = { to: ['bo@acme.test', 'cy@acme.test'], subject: 'Grüße – '.repeat(12), text: 'Hällo\nBo' };
    const { status, body } = await call('mail_send', mail);
    expect([status, body.data]).toMatchObject([200, { status: 'action', action: { status: 'succeeded' } }]);
    expect(outputOf({ body } as Answer)).toEqual({ id: 'sent-1', thread_id: 't2' });
    const request = peer.requests.find(({ method }) => method === 'POST');
    const raw = Buffer.from((request!.body as { raw: string }).raw, 'base64url').toString();
    const [head, text] = raw.split('\r\n\r\n');
    expect(head).toContain('To: bo@acme.test,\r\n cy@acme.test\r\nSubject: =?utf-8?B?');
    expect(Math.max(...head!.split('\r\n').map(({ length }) => length))).toBeLessThan(90);
    const words = [...head!.matchAll(/=\?utf-8\?B\?([^?]+)\?=/g)].map(([, word]) =>
      Buffer.from(word!, 'base64').toString(),
    );
    expect(words.join('')).toBe(mail.subject);
    expect(Buffer.from(text!, 'base64').toString()).toBe('Hällo\r\nBo');
    expect(peer.count('/gmail/v1/users/me/messages/send')).toBe(1);
  });

  it('that invite do it once', async () => {
    const { body } = await call('calendar_create_event', { ...EVENT, attendees: ['bo@acme.test'] });
    expect(body.data).toMatchObject({ action: { status: 'succeeded' }, output: { structuredContent: { id: 'e2' } } });
    expect(peer.requests).toMatchObject([{ method: 'POST', body: { attendees: [{ email: 'bo@acme.test' }] } }]);
    expect(peer.requests[0]!.query.get('sendUpdates')).toBe('all');
  });

  it('that are sent, and of which nobody hears, wait for a person and are not sent again', async () => {
    peer.override = ({ method }, response) => {
      if (method !== 'POST') return undefined;
      response.socket!.destroy();
      return true;
    };
    const { body } = await call('mail_send', { ...MAIL, subject: 'Lost' });
    expect(body.data.action.status).toBe('reconciliation_required');
    expect(peer.count('/gmail/v1/users/me/messages/send')).toBe(1);
  });

  it('that the service refuses have failed', async () => {
    peer.override = () => ({ status: 400, body: { error: { message: 'CANARY-text' } } });
    const answer = await call('mail_send', { ...MAIL, subject: 'Refused' });
    expect(answer.body.data.action).toMatchObject({ status: 'failed' });
    expect(answer.text).not.toContain('CANARY');
  });
});
