import { beforeAll, expect, it } from '@jest/globals';
import { type SigningKey, signingKey } from '../../support/peers/openid-peer.ts';
import { useOpenIdService } from '../../support/peers/openid-service.ts';

const HOUR_MS = 3_600_000;
const service = useOpenIdService();
const statusOf = async (token: string) => (await service.app.client(token).get('/organizations')).status;

let first: SigningKey;
let second: SigningKey;
beforeAll(async () => {
  first = service.peer.keyOf('RS256');
  second = await signingKey('RS256');
});

it('A token with a new key works at once, and one with a removed key no longer than an hour', async () => {
  const old = (await service.peer.login('ada')).idToken;
  expect(await statusOf(old)).toBe(200);
  service.peer.rotate(second, first);
  expect(await statusOf((await service.peer.login('ada')).idToken)).toBe(200);
  expect(await statusOf(await service.peer.sign({}, {}, first))).toBe(200);

  service.peer.rotate(second);
  service.clock.age(HOUR_MS);
  expect(await statusOf(await service.peer.sign({}, {}, first))).toBe(401);
  expect(await statusOf(old)).toBe(401);
  expect(await statusOf((await service.peer.login('ada')).idToken)).toBe(200);
});

it('Forged kids do not become requests to the provider: one read of the keys in 30 s', async () => {
  service.clock.age(HOUR_MS);
  expect(await statusOf(await service.peer.sign({}, {}, second))).toBe(200);
  const before = service.peer.keyReads;
  const forged = async () => statusOf(await service.peer.sign({}, {}, { ...second, kid: crypto.randomUUID() }));
  const refused = async (times: number) => {
    const statuses = new Set(await Promise.all(Array.from({ length: times }, forged)));
    // Failed attempts of one address.
    expect([...statuses].filter((status) => status !== 401 && status !== 429)).toEqual([]);
  };
  await refused(50);
  await refused(10);
  expect(service.peer.keyReads).toBe(before + 1);
  expect(await statusOf(await service.peer.sign({ sub: 'ben' }, {}, second))).toBe(200);

  service.clock.age(10_000);
  await refused(5);
  expect(service.peer.keyReads).toBe(before + 1);
  service.clock.age(30_001);
  await refused(5);
  expect(service.peer.keyReads).toBe(before + 2);
});

it('Tokens that are not the provider’s, or not for calls, never become a request', async () => {
  const before = service.peer.requests.length;
  const other = { ...second, kid: crypto.randomUUID() };
  for (const token of [
    await service.peer.sign({ iss: 'https://login.acme.test' }, {}, other),
    await service.peer.sign({}, { typ: 'logout+jwt' }, other),
    await service.peer.sign({}, { kid: undefined }, other),
    `${btoa('{"alg":"none","kid":"x"}')}.${btoa(JSON.stringify({ iss: service.peer.issuer }))}.x`,
    'a.b.c',
  ])
    expect(await statusOf(token)).toBeGreaterThanOrEqual(401);
  service.clock.age(60_000);
  expect(service.peer.requests.length).toBe(before);
});
