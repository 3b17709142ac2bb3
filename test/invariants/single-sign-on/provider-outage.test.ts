import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import type { Answering, OpenIdPeer } from '../../support/peers/openid-peer.ts';
import { useOpenIdService } from '../../support/peers/openid-service.ts';
import { until } from '../../support/until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const gone: Answering = (req) => req.socket.destroy();

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(5);
  expect(body.message).toContain('OpenID provider');
}

describe('A provider that cannot be used at the start', () => {
  const service = useOpenIdService(['RS256'], (peer) => (peer.answering = gone));
  const list = async (token?: string) => service.app.client(token ?? (await service.peer.sign())).get('/organizations');
  afterEach(() => {
    service.peer.answering = undefined;
  });

  it('leaves all others alone, and is asked again every 5 s until its tokens work', async () => {
    expectUnavailable(await list());
    // Whatever the token is, so that nobody is told a wrong thing; but not a token of somebody else.
    expectUnavailable(await list(await service.peer.sign({ exp: 1 })));
    expect((await list(await service.peer.sign({ iss: 'https://login.acme.test' }))).status).toBe(401);
    expect((await list(`brt_${'A'.repeat(43)}`)).status).toBe(401);
    expect((await (await service.app.person()).get('/organizations')).status).toBe(200);
    expect((await service.app.bootstrap.get('/organizations')).status).toBe(200);
    expect((await service.app.anonymous.get('/health/ready')).status).toBe(200);
    // No failed attempts: the token may be right.
    for (let n = 0; n < 30; n += 1) expectUnavailable(await list());

    service.clock.age(MINUTE_MS);
    const before = service.peer.requests.length;
    await Promise.all(Array.from({ length: 20 }, () => list()));
    expect(service.peer.requests.length).toBe(before + 1);
    service.peer.answering = undefined;
    expectUnavailable(await list());
    service.clock.age(5_001);
    expect((await list()).status).toBe(200);
    service.clock.age(25 * HOUR_MS);
  });

  it.each<[string, (peer: OpenIdPeer) => Answering]>([
    ['hangs', () => () => undefined],
    ['drips', () => drip],
    ['never ends', () => (_, response) => void response.write(' '.repeat(300 * 1024))],
    ['fails', (peer) => documents({ issuer: peer.issuer }, 500)],
    ['answers no object', () => documents([])],
    ['answers no JSON', () => (_, response) => void response.end('<html>')],
    ['names another issuer', (peer) => documents({ ...whole(peer), issuer: `${peer.issuer}/` })],
    ['redirects', (peer) => (_, response) => void response.writeHead(302, { location: `${peer.issuer}/jwks` }).end()],
    ['names no keys', (peer) => documents({ ...whole(peer), jwks_uri: undefined })],
    ['names keys that are no address', (peer) => documents({ ...whole(peer), jwks_uri: 'jwks' })],
    ['names keys in the network inside', (peer) => documents({ ...whole(peer), jwks_uri: 'https://10.0.0.1/jwks' })],
    ['names keys on this machine', (peer) => documents({ ...whole(peer), jwks_uri: 'https://127.0.0.1:1/jwks' })],
    ['has no keys', (peer) => documents({ ...whole(peer), keys: [] })],
    [
      'has secrets for keys',
      (peer) => documents({ ...whole(peer), keys: [{ kty: 'oct', kid: kidOf(peer), k: 'c2Vj' }] }),
    ],
    ['has keys for encryption', (peer) => documents({ ...whole(peer), keys: [{ ...publicKey(peer), use: 'enc' }] })],
  ])('that %s: 503 within a few seconds', async (_what, answering) => {
    service.clock.age(MINUTE_MS);
    service.peer.answering = answering(service.peer);
    const begun = performance.now();
    expectUnavailable(await list());
    expect(performance.now() - begun).toBeLessThan(8_000);
  });

  it('and works with what those documents lacked', async () => {
    service.clock.age(MINUTE_MS);
    service.peer.answering = documents(whole(service.peer));
    expect((await list()).status).toBe(200);
  });
});

describe('A provider that cannot be reached any more', () => {
  const service = useOpenIdService();
  const list = async () =>
    service.app.client(await service.peer.sign({ sub: crypto.randomUUID() })).get('/organizations');

  it('is not needed for a day; its tokens are answered 503 then, and work when it is back', async () => {
    expect((await list()).status).toBe(200);
    service.peer.answering = gone;
    for (let hours = 0; hours < 23; hours += 1) {
      service.clock.age(HOUR_MS);
      expect((await list()).status).toBe(200);
    }
    const other = { ...service.peer.keyOf('RS256'), kid: crypto.randomUUID() };
    // Nobody can tell whether the provider has this key by now.
    expectUnavailable(await service.app.client(await service.peer.sign({}, {}, other)).get('/organizations'));
    service.clock.age(HOUR_MS);
    expectUnavailable(await list());
    service.peer.answering = undefined;
    service.clock.age(5_001);
    expect((await list()).status).toBe(200);
  });

  it('makes nobody wait for it twice', async () => {
    const hanging: ServerResponse[] = [];
    service.peer.answering = (_, response) => hanging.push(response);
    service.clock.age(HOUR_MS);
    expect((await list()).status).toBe(200);
    service.clock.age(MINUTE_MS);
    expect((await list()).status).toBe(200);
    // The service still waits for the second answer, for at most 3 s.
    await until('the provider is asked again', () => hanging.length === 2);
    expect(hanging[1]!.destroyed).toBe(false);
    service.peer.answering = undefined;
  });
});

/** Discovery document and key set in one. */
function whole(peer: OpenIdPeer): object {
  return { issuer: peer.issuer, jwks_uri: `${peer.issuer}/jwks`, keys: [publicKey(peer)] };
}

function documents(answer: unknown, status = 200): Answering {
  return (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

const drip: Answering = (_, response) => {
  const dripping = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(dripping));
};

function kidOf(peer: OpenIdPeer): string {
  return peer.keyOf('RS256').kid;
}

function publicKey(peer: OpenIdPeer): object {
  const { kty, n, e, kid, alg } = peer.keyOf('RS256').jwk;
  return { kty, n, e, kid, alg };
}
