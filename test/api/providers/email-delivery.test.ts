import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { capabilityOf } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { EmailPeer } from '../../support/peers/email-peer.ts';
import { Outside } from '../../support/peers/outside.ts';
import { TestApp } from '../../support/test-app.ts';

const KEY = 'email-delivery';
const FULL = 'CANARY-re-full-5Tq8Zr2Lw9';
const SENDING = 'CANARY-re-sending-8Pl2Mn6Bv4';
const app = new TestApp();
let outside: Outside;
let peer: EmailPeer;
let place: Workplace;
let at: string;

const DOMAINS = [
  { id: 'd1', name: 'acme.example', status: 'verified' },
  { id: 'd2', name: 'new.acme.example', status: 'pending' },
];
const SETTINGS = { kind: KEY, domains: ['acme.example'] };
const MAIL = { from: 'Acme <news@acme.example>', to: ['ada@buyer.example'], subject: 'Hello', text: 'Dear Ada' };

beforeAll(async () => {
  outside = await Outside.start();
  peer = await EmailPeer.start(outside);
  peer.keys.set(FULL, 'full_access').set(SENDING, 'sending_access');
  await app.open();
  outside.surround(app);
  place = await Workplace.open(app);
  at = place.path(`/integrations/${KEY}`);
});
const fresh = () => {
  peer.reset();
  peer.domains = structuredClone(DOMAINS);
};
beforeEach(fresh);
afterAll(async () => {
  await app.close();
  outside.stop();
});

const disconnected = async () => {
  fresh();
  await place.owner.delete(`${at}/credential`);
};
const connect = (apiKey = FULL) => place.owner.put(`${at}/credential`, { kind: 'api_key', apiKey });
const save = (settings: object = SETTINGS) => place.owner.put(`${at}/settings`, { settings });
const check = () => place.owner.post(`${at}/check`);
type Answer = Awaited<ReturnType<Client['put']>>;
const wordOf = ({ status, body }: Answer) => [status, body.error.issues[0].path, body.error.issues[0].code];

describe('a credential: 200', () => {
  beforeEach(disconnected);

  it('tells the domains of the account', async () => {
    const { status, body } = await connect();
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      readiness: 'needs_settings',
      accessMode: 'ask_before_write',
      reviewRequiredTools: ['send_email'],
      credentialMetadata: {
        details: { provider: 'resend', domains: DOMAINS.map(({ name, status: of }) => ({ name, status: of })) },
      },
      profileGrants: ['chat', 'growth', 'operator', 'support'],
    });
    expect(peer.asked).toEqual(['GET /domains']);
  });

  it('may be a key that only sends, which tells nothing', async () => {
    const { status, body } = await connect(SENDING);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      credentialMetadata: { details: { domains: null } },
      health: {
        observations: [
          { scope: 'credential', status: 'verified' },
          { scope: 'resource:domains', status: 'unknown' },
        ],
      },
    });
    expect((await save({ kind: KEY, domains: ['unproven.example'] })).body.data.readiness).toBe('ready');
    expect((await check()).body.data).toMatchObject({ readiness: 'ready' });
  });
});

describe('a credential: 400, 503', () => {
  beforeEach(disconnected);

  it('refuses a key that the provider does not know, or that no header can carry', async () => {
    expect(wordOf(await connect('nobody'))).toEqual([400, 'apiKey', 'provider_rejected']);
    expect(wordOf(await connect('a b'))).toEqual([400, 'apiKey', 'invalid_text']);
  });

  it('of a provider that lets nobody through right now', async () => {
    peer.refusal = { status: 429, body: { name: 'rate_limit_exceeded' }, headers: { 'retry-after': '2' } };
    const answer = await connect();
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
  });
});

describe('settings: 200, 400', () => {
  beforeAll(async () => {
    await disconnected();
    await connect();
  });

  it('name domains that are verified now, and the check says when one is so no more', async () => {
    expect((await save()).body.data).toMatchObject({ readiness: 'ready', settings: SETTINGS });
    peer.domains[0]!.status = 'temporary_failure';
    const { body } = await check();
    expect(body.data.readiness).toBe('degraded');
    expect(body.data.health.observations).toContainEqual(
      expect.objectContaining({ scope: 'resource:acme.example', status: 'failed', code: 'resource_missing' }),
    );
  });

  it.each<[object, string, string]>([
    [{ kind: KEY, domains: ['acme.example', 'new.acme.example'] }, 'settings.domains.1', 'provider_rejected'],
    [{ kind: KEY, domains: ['other.example'] }, 'settings.domains.0', 'provider_rejected'],
    [{ kind: KEY, domains: [] }, 'settings.domains', 'invalid_length'],
    [{ kind: KEY, domains: ['Acme.example'] }, 'settings.domains.0', 'invalid_text'],
    [{ kind: KEY, domains: ['acme'] }, 'settings.domains.0', 'invalid_text'],
    [{ kind: KEY, domains: ['acme.example', 'acme.example'] }, 'settings.domains', 'duplicate_item'],
    [{ ...SETTINGS, from: ['news@new.acme.example'] }, 'settings.from.0', 'unknown_reference'],
    [{ ...SETTINGS, from: ['Acme <news@acme.example>'] }, 'settings.from.0', 'invalid_text'],
  ])('%j is refused', async (settings, path, code) => {
    expect(wordOf(await save(settings))).toEqual([400, path, code]);
  });
});

describe('a run', () => {
  let call: (tool: string, args: object) => Promise<Answer>;
  const connected = async (settings: object = SETTINGS) => {
    await disconnected();
    await connect();
    await save(settings);
    const { agent } = await place.run();
    const { caller, pathTo } = await capabilityOf(place, agent, { id: '', key: KEY });
    call = (tool, args) => caller.post(pathTo(`/tools/${tool}/call`), { arguments: args });
    peer.reset();
  };
  beforeAll(() => connected());

  const approved = async (mail: object) => {
    const proposed = await call('send_email', mail);
    expect([proposed.status, peer.mails]).toEqual([202, []]);
    const { id } = proposed.body.data.action as { id: string };
    expect((await place.owner.post(place.path(`/actions/${id}/approve`), {})).status).toBe(200);
    // The same call again meets the action, carries it out and waits for its end.
    return (await call('send_email', mail)).body.data.action;
  };

  it('reads the domains of the settings, and of the account no others', async () => {
    const { body } = await call('list_domains', {});
    expect(body.data.output.structuredContent).toEqual({ domains: [{ name: 'acme.example', status: 'verified' }] });
  });

  it('sends a mail that a person approved, once, under the id of the action', async () => {
    const mail = {
      ...MAIL,
      cc: ['b@buyer.example'],
      reply_to: ['help@acme.example'],
      tags: [{ name: 'a', value: 'b' }],
    };
    const action = await approved(mail);
    expect(action).toMatchObject({ status: 'succeeded', result: { structuredContent: { id: 'mail-1' } } });
    expect(peer.mails).toEqual([{ idempotencyKey: action.id, body: mail }]);
    expect(peer.asked).toEqual(['POST /emails']);
    expect(peer.faults).toEqual([]);
  });

  it('shows whom a mail goes to before what it says, however long that is', async () => {
    const { body } = await call('send_email', {
      text: 'a'.repeat(60_000),
      subject: 'Long',
      to: ['first@buyer.example', 'last@buyer.example'],
      from: 'news@acme.example',
    });
    const { data } = await place.owner.get(place.path(`/actions/${body.data.action.id}`)).then((answer) => answer.body);
    expect(data.preview).toContain('last@buyer.example');
  });

  it.each<[number, string, string, string]>([
    [403, 'invalid_api_key', 'failed', 'credential_refused'],
    [401, 'restricted_api_key', 'failed', 'restricted_api_key'],
    [403, 'validation_error', 'failed', 'provider_rejected'],
    [422, 'invalid_parameter', 'failed', 'provider_rejected'],
    [429, 'rate_limit_exceeded', 'failed', 'rate_limited'],
    [429, 'daily_quota_exceeded', 'failed', 'daily_quota_exceeded'],
    [451, 'security_error', 'failed', 'provider_rejected'],
    [409, 'concurrent_idempotent_requests', 'unknown', 'provider_rejected'],
    [500, 'application_error', 'unknown', 'unavailable'],
  ])('is told what %i %s means', async (status, name, outcome, code) => {
    const subject = `${status} ${name}`;
    peer.answering = (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ name, message: 'CANARY-text' }));
      return true;
    };
    const action = await approved({ ...MAIL, subject });
    expect([action.status, action.error?.code]).toEqual([
      outcome === 'unknown' ? 'reconciliation_required' : outcome,
      code,
    ]);
    expect(JSON.stringify(action)).not.toContain('CANARY');
    expect(peer.mails).toHaveLength(1);
  });

  it('leaves a mail whose answer was lost to a person', async () => {
    peer.answering = (_, response) => {
      outside.reset(response.socket!);
      return true;
    };
    const action = await approved({ ...MAIL, subject: 'Lost' });
    expect(action.status).toBe('reconciliation_required');
    expect(peer.mails).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{ from: 'news@other.example' }, 'arguments.from'],
    [{ from: 'news@sub.acme.example' }, 'arguments.from'],
    [{ from: 'news@acme.example.evil.example' }, 'arguments.from'],
    [{ from: 'news@acme.example <x@evil.example>' }, 'arguments.from'],
    [{ from: 'A <x@evil.example> <news@acme.example>' }, 'arguments.from'],
    [{ from: 'a@b@acme.example' }, 'arguments.from'],
    [{ from: 'news@acme.example, x@evil.example' }, 'arguments.from'],
    [{ to: [] }, 'arguments.to'],
    [{ to: Array.from({ length: 21 }, () => 'a@b.example') }, 'arguments.to'],
    [{ to: ['Ada <ada@buyer.example>'] }, 'arguments.to.0'],
    [{ cc: ['nobody'] }, 'arguments.cc.0'],
    [{ subject: 'a\r\nBcc: x@evil.example' }, 'arguments.subject'],
    [{ bcc: ['x@evil.example'] }, 'arguments.bcc'],
    [{ attachments: [] }, 'arguments.attachments'],
    [{ headers: {} }, 'arguments.headers'],
    [{ scheduled_at: 'tomorrow' }, 'arguments.scheduled_at'],
    [{ tags: [{ name: 'a b', value: 'c' }] }, 'arguments.tags.0.name'],
  ])('is refused %j, and nobody is asked', async (given, path) => {
    const { status, body } = await call('send_email', { ...MAIL, ...given });
    expect([status, body.error?.issues[0].path]).toEqual([400, path]);
    expect(peer.asked).toEqual([]);
  });

  it('sends only from addresses that the settings name, whatever their case', async () => {
    await connected({ ...SETTINGS, from: ['news@acme.example'] });
    expect((await call('send_email', { ...MAIL, from: 'Acme <news@ACME.example>', subject: 'Case' })).status).toBe(202);
    const { body } = await call('send_email', { ...MAIL, from: 'boss@acme.example' });
    expect(body.error.issues[0]).toMatchObject({ path: 'arguments.from', code: 'not_permitted' });
  });
});
