import { createHmac, createPrivateKey, createPublicKey, randomUUID, sign as rsaSignature } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { type Answer, createOrganization, organizationOf } from '../../support/client.ts';
import { EventReader, eventsPath, listening } from '../../support/event-reader.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { API, LOGIN_CLIENT, OpenIdPeer, type SigningKey, signingKey } from '../../support/peers/openid-peer.ts';
import { useOpenIdService } from '../../support/peers/openid-service.ts';

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const service = useOpenIdService(ALGORITHMS);
const { app } = service;
beforeEach(() => {
  // A new minute, and so no failed attempts.
  service.clock.age(60_000);
});

const as = (token: string) => app.client(token);
const list = (token: string) => as(token).get('/organizations');
const sign = (claims?: JWTPayload, header?: object, key?: SigningKey) => service.peer.sign(claims, header, key);
const subjectOf = (sub: string, issuer = service.peer.issuer) => `oidc:${issuer}|${sub}`;
const somebody = () => `user/${randomUUID()}`;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

function expectUnauthorized({ status, body }: Answer): void {
  expect([status, body?.error?.code]).toEqual([401, 'owner_unauthorized']);
}

describe('a token of the OpenID provider: 200', () => {
  it('opens an organization to the person who logged in and created it, and to nobody else', async () => {
    const sub = somebody();
    const { idToken } = await service.peer.login(sub);
    const { status, body } = await createOrganization(as(idToken));
    expect(status).toBe(201);
    const path = `/organizations/${body.data.organization.id}`;
    const { body: members } = await as(idToken).get(`${path}/members`);
    expect(members.data).toMatchObject([{ subject: subjectOf(sub), role: 'owner', addedBy: subjectOf(sub) }]);
    const { body: activity } = await as(idToken).get(`${path}/activity?verb=organization.created`);
    expect(activity.data[0].actor).toEqual({ kind: 'owner', id: subjectOf(sub), name: `Name of ${sub}` });
    const other = await service.peer.login(somebody());
    const refused = await as(other.idToken).get(path);
    expect([refused.status, refused.body.error.code]).toEqual([404, 'organization_not_found']);
  });

  it('is one person with ID and access token, and another one for a program', async () => {
    const sub = somebody();
    const { idToken, accessToken } = await service.peer.login(sub);
    const path = `/organizations/${await organizationOf(as(idToken))}`;
    expect((await as(accessToken).get(path)).status).toBe(200);
    const program = await service.peer.machineToken();
    expect((await as(program).get(path)).status).toBe(404);
    const own = await organizationOf(as(program));
    const { body } = await as(program).get(`/organizations/${own}/activity?verb=organization.created`);
    // An access token has no name.
    expect(body.data[0].actor).toMatchObject({ id: subjectOf('nightly-report'), name: subjectOf('nightly-report') });
  });

  it('lets a member in by subject, and no longer from the removal on', async () => {
    const sub = `idp|${randomUUID()}/50%25?a#b`;
    const owner = await app.person();
    const id = await organizationOf(owner);
    const token = await sign({ sub });
    expect((await as(token).get(`/organizations/${id}`)).status).toBe(404);
    const member = `/organizations/${id}/members/${encodeURIComponent(subjectOf(sub))}`;
    expect((await owner.put(member, { role: 'owner' })).body.data.subject).toBe(subjectOf(sub));
    expect((await as(token).get(`/organizations/${id}`)).status).toBe(200);
    expect((await owner.delete(member)).status).toBe(200);
    expect((await as(token).get(`/organizations/${id}`)).status).toBe(404);
  });

  it('lets in whoever has a subject of the greatest length', async () => {
    const owner = await app.person();
    const id = await organizationOf(owner);
    const sub = '~'.repeat(255);
    const member = `/organizations/${id}/members/${encodeURIComponent(subjectOf(sub))}`;
    expect((await owner.put(member, { role: 'owner' })).status).toBe(200);
    expect((await as(await sign({ sub })).get(`/organizations/${id}`)).status).toBe(200);
  });

  it.each(ALGORITHMS)('signed with %s', async (alg) => {
    const key = service.peer.keyOf(alg);
    expect((await list(await sign({}, {}, key))).status).toBe(200);
  });

  it.each<[string, { claims?: JWTPayload; at?: number; header?: object }]>([
    ['that ended less than a minute ago', { at: -50, claims: { exp: 0 } }],
    ['that begins in less than a minute', { at: 50, claims: { iat: 0, nbf: 0 } }],
    ['without the time of its creation', { claims: { iat: undefined } }],
    ['without a type', { header: { typ: undefined } }],
    ['of the type of access tokens', { header: { typ: 'AT+jwt' } }],
    ['of that type, spelled in full', { header: { typ: 'application/at+jwt' } }],
    [
      'for several, asked for by the client that logs people in',
      { claims: { aud: ['x', LOGIN_CLIENT], azp: LOGIN_CLIENT } },
    ],
    ['for one, asked for by another client', { claims: { aud: [API], azp: 'app' } }],
    [
      'with access to several APIs, asked for by another client',
      { claims: { aud: ['x', API], azp: 'app', scope: 'a' } },
    ],
    ['the same of a provider that writes scp', { claims: { aud: ['x', API], azp: 'app', scp: ['a'] } }],
    [
      'the same of a provider that gives the type',
      { claims: { aud: ['x', API], azp: 'app' }, header: { typ: 'at+jwt' } },
    ],
    [
      'that brings keys along, which nobody looks at',
      { header: { jku: 'https://127.0.0.1:1/x', x5u: 'https://127.0.0.1:1/x' } },
    ],
    ['with 8,000 characters', { claims: { groups: 'g'.repeat(5_400) } }],
  ])('%s', async (_what, { claims = {}, at = 0, header }) => {
    const times = Object.entries(claims).map(([name, value]) => [name, value === 0 ? inSeconds(at) : value]);
    const token = await sign(Object.fromEntries(times) as JWTPayload, header);
    expect((await list(token)).status).toBe(200);
  });

  it('calls a person in the activity log by name, login or e-mail, without what would disturb a list', async () => {
    const nameOf = async (claims: JWTPayload) => {
      const caller = as(await sign({ sub: somebody(), ...claims }));
      const { body } = await caller.get(`/organizations/${await organizationOf(caller)}/activity?limit=1&order=asc`);
      return body.data[0].actor.name as string;
    };
    const ada = { preferred_username: 'ada', email: 'ada@acme.test' };
    expect(await nameOf({ ...ada, name: ' Ada\u0000\n\u202E  Lovelace ' })).toBe('Ada Lovelace');
    expect(await nameOf({ ...ada, name: '\u200B' })).toBe('ada');
    expect(await nameOf({ email: 'ada@acme.test', name: 7 })).toBe('ada@acme.test');
    expect(await nameOf({ name: '🦊'.repeat(101) })).toBe(`${'🦊'.repeat(99)}…`);
  });

  it('knows a token for 10 s at most, and not longer than it lasts', async () => {
    const token = await sign({ exp: inSeconds(-52) });
    expect((await list(token)).status).toBe(200);
    service.clock.pass(9_000);
    expectUnauthorized(await list(token));
    service.clock.pass(-9_000);
  });
});

describe('a personal token that was made with one', () => {
  it('ends with it at the latest; the administrator makes one that lasts', async () => {
    const sub = somebody();
    const exp = inSeconds(600);
    const caller = as(await sign({ sub, exp }));
    const end = new Date(exp * 1000).toISOString().replace('Z', '000Z');
    const { body } = await caller.post('/owner-tokens', { name: 'script' });
    expect(body.data).toMatchObject({ subject: subjectOf(sub), expiresAt: end });
    const later = new Date((exp + 1) * 1000).toISOString();
    const refused = await caller.post('/owner-tokens', { name: 'script', expiresAt: later });
    expect([refused.status, refused.body.error.issues]).toMatchObject([
      400,
      [{ path: 'expiresAt', code: 'outlives_caller' }],
    ]);
    const lasting = await app.bootstrap.post('/owner-tokens', { name: 'script', subject: subjectOf(sub) });
    expect(lasting.body.data).toMatchObject({ subject: subjectOf(sub), expiresAt: null });
    const id = await organizationOf(caller);
    expect((await as(lasting.body.data.token).get(`/organizations/${id}`)).status).toBe(200);
    expect((await caller.get('/owner-tokens')).body.data).toHaveLength(2);
  });
});

describe('an event stream', () => {
  it('ends when its token does, and not when that of another stream of the person does', async () => {
    const sub = somebody();
    const token = await sign({ sub });
    const organizationId = await organizationOf(as(token));
    const path = eventsPath({ organizationId, chatId: await firstChat(app, organizationId) });
    const baseUrl = await listening(app);
    const lasting = await EventReader.open(baseUrl, path, { token });
    const ending = await EventReader.open(baseUrl, path, { token: await sign({ sub, exp: inSeconds(-50) }) });
    expect([ending.status, lasting.status]).toEqual([200, 200]);
    service.clock.pass(20_000);
    await ending.untilEnded();
    service.clock.pass(-20_000);
    expect(ending.comments.at(-1)).toBe('you may not read this any more');
    expect(lasting.ended).toBe(false);
    lasting.close();
  });
});

describe('a token of the OpenID provider: 401', () => {
  it.each<[string, (now: (seconds: number) => number) => JWTPayload]>([
    ['another issuer', () => ({ iss: 'https://login.acme.test' })],
    ['its own issuer with a slash', () => ({ iss: `${service.peer.issuer}/` })],
    ['no issuer', () => ({ iss: undefined })],
    ['another audience', () => ({ aud: 'another-service' })],
    ['several other audiences', () => ({ aud: ['another-service', `${LOGIN_CLIENT}2`] })],
    ['no audience', () => ({ aud: undefined })],
    ['an empty list of audiences', () => ({ aud: [] })],
    ['several audiences and nobody who asked for it', () => ({ aud: ['x', LOGIN_CLIENT] })],
    ['several audiences, asked for by another client', () => ({ aud: ['x', LOGIN_CLIENT], azp: 'x' })],
    ['no end', () => ({ exp: undefined })],
    ['an end more than a minute ago', (now) => ({ exp: now(-61) })],
    ['an end that is text', (now) => ({ exp: String(now(600)) as never })],
    ['an end after the year 9999', () => ({ exp: 253_402_300_800 })],
    ['a beginning in more than a minute', (now) => ({ nbf: now(90) })],
    ['a creation in more than a minute', (now) => ({ iat: now(90) })],
    ['nobody', () => ({ sub: undefined })],
    ['an empty subject', () => ({ sub: '' })],
    ['a subject of 256 characters', () => ({ sub: 'x'.repeat(256) })],
    ['a subject with a space', () => ({ sub: 'a b' })],
    ['a subject that is no text', () => ({ sub: 7 as never })],
    ['a logout', () => ({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })],
    ['a binding to a key', () => ({ cnf: { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' } })],
  ])('that says %s', async (_what, claims) => {
    expectUnauthorized(await list(await sign(claims(inSeconds))));
  });

  it.each<[string, object]>([
    ['of a logout', { typ: 'logout+jwt' }],
    ['of an event', { typ: 'secevent+jwt' }],
    ['of a proof', { typ: 'dpop+jwt' }],
    ['that is no text', { typ: 7 }],
  ])('of the type %s', async (_what, header) => {
    expectUnauthorized(await list(await sign({}, header)));
  });

  it('signed with another key or in another way than its header says', async () => {
    const key = service.peer.keyOf('RS256');
    const { n, e, kty } = (await signingKey('RS256')).jwk;
    const foreign = await signingKey('RS256', key.kid);
    const { alg: _, ...jwk } = key.jwk;
    for (const token of [
      await sign({}, {}, await signingKey('RS256')),
      await sign({}, {}, foreign),
      await sign({}, { jwk: { n, e, kty } }, foreign),
      await sign({}, { kid: undefined }),
      await sign({}, { kid: 'k'.repeat(256) }),
      await sign({}, { kid: service.peer.keyOf('PS256').kid }),
      // A right signature, but the provider published this key for another algorithm.
      await sign({}, {}, { ...key, alg: 'PS256', jwk }),
      await signedByHand({ alg: 'RS256', kid: key.kid, crit: ['exp'], exp: 1 }),
      await signedByHand({ alg: 'RS256', kid: key.kid, crit: ['b64'], b64: false }),
    ])
      expectUnauthorized(await list(token));
    expect((await list(await signedByHand({ alg: 'RS256', kid: key.kid }))).status).toBe(200);
  });

  it('without a signature, or with one that everybody could make', async () => {
    const [header = '', payload = '', signature = ''] = (await sign()).split('.');
    const { kid, jwk } = service.peer.keyOf('RS256');
    const head = (alg: string) => Buffer.from(JSON.stringify({ alg, kid, typ: 'JWT' })).toString('base64url');
    const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const hmac = (secret: string | Buffer) =>
      createHmac('sha256', secret)
        .update(`${head('HS256')}.${payload}`)
        .digest('base64url');
    const other = Buffer.from(JSON.stringify({ ...JSON.parse(atob(payload)), sub: 'root' })).toString('base64url');
    for (const token of [
      `${head('none')}.${payload}.`,
      `${head('none')}.${payload}.${signature}`,
      `${head('None')}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${other}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -8)}`,
      `${head('HS256')}.${payload}.${hmac(pem)}`,
      `${head('HS256')}.${payload}.${hmac(String(jwk.n))}`,
    ])
      expectUnauthorized(await list(token));
  });

  it('that is none', async () => {
    const [, payload = ''] = (await sign()).split('.');
    const head = Buffer.from('{"alg":"RS256"').toString('base64url');
    const deep = Buffer.from('['.repeat(3_000)).toString('base64url');
    for (const token of ['a.b.c', `${head}.${payload}.x`, `${deep}.${deep}.x`, `x.${payload}.y`, '..', `a.b.c.d.e`])
      expectUnauthorized(await list(token));
    expectUnauthorized(await list(await sign({ groups: 'g'.repeat(8_192) })));
  });

  it('of another provider, even for the same subject', async () => {
    const other = await OpenIdPeer.start(await signingKey('RS256'));
    const sub = somebody();
    await organizationOf(as(await sign({ sub })));
    expectUnauthorized(await list((await other.login(sub)).idToken));
    // Nor if it claims to be the right one.
    expectUnauthorized(await list(await other.sign({ sub, iss: service.peer.issuer })));
    await other.stop();
  });

  it('counts as a failed attempt, and after 20 is 429', async () => {
    const expired = await sign({ exp: inSeconds(-100) });
    for (let n = 0; n < 20; n += 1) expectUnauthorized(await list(expired));
    expect((await list(expired)).status).toBe(429);
    expect((await list(await sign())).status).toBe(200);
  });

  it('says why in the log, of a token that the provider signed, without what it contains', async () => {
    const aud = `another-service-${randomUUID()}`;
    const log = () => readFileSync(join(process.env.TEST_FOLDER!, `${process.pid}.jsonl`), 'utf8');
    const before = log().length;
    expectUnauthorized(await list(await sign({ aud })));
    expectUnauthorized(await list(await sign({ sub: 'a b' })));
    expectUnauthorized(await list(await sign({ iss: `${service.peer.issuer}/` })));
    expectUnauthorized(await list(await sign({ aud }, {}, await signingKey('RS256'))));
    expectUnauthorized(await list(await sign({ iss: 'https://forged.test' }, {}, await signingKey('RS256'))));
    const lines = log().slice(before).split('\n');
    const reasons = lines.flatMap((line) =>
      line.includes('a token of the provider was refused') ? [JSON.parse(line).msg] : [],
    );
    expect(reasons).toEqual([
      'a token of the provider was refused: unexpected "aud" claim value',
      'a token of the provider was refused: its "sub" claim is not acceptable',
      `a token of the provider was refused: its "iss" claim is "${service.peer.issuer}/", which is not OIDC_ISSUER`,
    ]);
    expect(lines.join('')).not.toContain(aud);
  });

  it('on a route for agents', async () => {
    const { status, body } = await as(await sign()).get(`/internal/agent/organizations/${randomUUID()}/execution`);
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});

/** A token with whatever header, also one with which no library signs. */
async function signedByHand(header: object): Promise<string> {
  const [, payload] = (await sign()).split('.');
  const signed = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`;
  const key = createPrivateKey({ key: service.peer.keyOf('RS256').jwk, format: 'jwk' });
  return `${signed}.${rsaSignature('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
