import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import type { CapabilityKey, Config } from '../../config/index.ts';
import { Capabilities, type ExecutionClaims, type GatewayClaims } from './capabilities.ts';

const NEW: CapabilityKey = { kid: 'new', seed: randomBytes(32) };
const OLD: CapabilityKey = { kid: 'old', seed: randomBytes(32) };
const capabilitiesOf = (...capabilityKeys: CapabilityKey[]) =>
  new Capabilities({ capabilityKeys } as unknown as Config);
const capabilities = capabilitiesOf(NEW, OLD);

const run: ExecutionClaims = {
  organizationId: randomUUID(),
  agentProfileId: randomUUID(),
  profileKey: 'growth',
  profileKind: 'department',
  department: 'growth',
  execution: 'task_run',
  executionId: randomUUID(),
  mode: 'plan',
  generation: 3,
  expiresAt: '2026-11-28T01:02:03.123456Z',
};
const turn: ExecutionClaims = { ...run, profileKind: 'chat', department: null, execution: 'chat_turn', mode: null };

const [, payload = '', signature = ''] = capabilities.issue(run).split('.');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = { alg: 'EdDSA', kid: NEW.kid, typ: 'execution+jwt' };

/** A token with our own signature over whatever header and claims. */
function signed(claims: object, head: object = {}, { seed } = NEW): Promise<string> {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return new SignJWT({ ...decode(payload), ...claims }).setProtectedHeader({ ...header, ...head }).sign(key);
}

describe('a capability', () => {
  it.each([run, turn])('says of an execution what was signed: $execution', async (claims) => {
    const token = capabilities.issue(claims);
    const principal = { kind: 'execution', ...claims };
    expect(await capabilities.verify(token)).toEqual(principal);
    // From what is known as from the signature.
    expect(await capabilities.verify(token)).toEqual(principal);
  });

  it('is what jose writes of the same claims', async () => {
    expect(capabilities.issue(run)).toBe(await signed({}));
  });

  it('names its key, and stays short enough for a header', async () => {
    const token = capabilities.issue({ ...run, profileKey: 'k'.repeat(200), department: 'd'.repeat(200) });
    expect(decode(token.split('.')[0]!)).toEqual(header);
    expect(token.length).toBeLessThan(4_096);
    expect(token).toMatch(/^[A-Za-z0-9._-]+$/);
  });

  it('is genuine however long ago it expired: the database’s clock decides', async () => {
    const expiresAt = '2020-01-01T00:00:00.000000Z';
    expect(await capabilities.verify(capabilities.issue({ ...run, expiresAt }))).toMatchObject({ expiresAt });
  });

  it('outlives the key that signed first, while that key is still listed', async () => {
    const token = capabilitiesOf(OLD).issue(run);
    expect(await capabilities.verify(token)).toMatchObject({ executionId: run.executionId });
    expect(await capabilitiesOf(NEW).verify(token)).toBeUndefined();
    expect(decode(capabilities.issue(run).split('.')[0]!)).toMatchObject({ kid: NEW.kid });
  });
});

describe('what is no capability of ours', () => {
  const head = encode(header);
  const altered = encode({ ...decode(payload), org: randomUUID() });
  const hmac = encode({ ...header, alg: 'HS256' });

  it.each([
    ['nothing', ''],
    ['an owner token', `brt_${'A'.repeat(43)}`],
    ['three words', 'a.b.c'],
    ['a token without a signature', `${head}.${payload}.`],
    ['a token with other claims', `${head}.${altered}.${signature}`],
    [
      'a token with another signature',
      `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    ],
    ['a cut token', `${head}.${payload}.${signature.slice(0, -4)}`],
    ['alg none', `${encode({ ...header, alg: 'none' })}.${payload}.`],
    ['a symmetric algorithm', `${hmac}.${payload}.${signature}`],
    ['no header of JSON', `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`],
  ])('%s', async (_what, token) => {
    expect(await capabilities.verify(token)).toBeUndefined();
  });

  it.each<[string, { claims?: object; head?: object; key?: CapabilityKey }]>([
    ['another audience', { claims: { aud: 'gateway' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['another issuer', { claims: { iss: 'somebody' } }],
    ['an unknown kid', { head: { kid: 'other' } }],
    ['no kid', { head: { kid: undefined } }],
    ['the kid of another key', { head: { kid: OLD.kid } }],
    ['another type', { head: { typ: 'JWT' } }],
    ['a key that is not ours', { key: { kid: NEW.kid, seed: randomBytes(32) } }],
    ['an organization that is no id', { claims: { org: 'acme' } }],
    ['an unknown kind of execution', { claims: { exe: 'webhook' } }],
    ['an unknown kind of profile', { claims: { knd: 'boss' } }],
    ['an unknown mode', { claims: { mod: 'improvise' } }],
    ['no generation', { claims: { gen: undefined } }],
    ['an end in seconds', { claims: { end: 1_764_000_000 } }],
  ])('%s, however well signed', async (_what, { claims = {}, head, key }) => {
    expect(await capabilities.verify(await signed({}))).toBeDefined();
    expect(await capabilities.verify(await signed(claims, head, key))).toBeUndefined();
  });
});

describe('a capability for an integration', () => {
  const claims: GatewayClaims = {
    execution: turn,
    integrationId: randomUUID(),
    authorizationEpoch: 7,
    access: 'write',
  };
  const token = capabilities.issueGateway(claims);

  it('says of the execution and the integration what was signed', async () => {
    const { execution, ...others } = claims;
    const identity = { kind: 'gateway', ...others, execution: { kind: 'execution', ...execution } };
    for (let n = 0; n < 2; n += 1) expect(await capabilities.verifyGateway(token)).toEqual(identity);
  });

  it('is none of an execution, nor the other way round, also where it is known already', async () => {
    const executions = capabilities.issue(run);
    for (let n = 0; n < 2; n += 1) {
      expect(await capabilities.verify(token)).toBeUndefined();
      expect(await capabilities.verifyGateway(executions)).toBeUndefined();
      await capabilities.verify(executions);
      await capabilities.verifyGateway(token);
    }
  });

  it('is none where a claim of it has another form, however well signed', async () => {
    const gateway = { aud: 'gateway', int: claims.integrationId, epo: 7, acc: 'read' };
    const typ = { typ: 'gateway+jwt' };
    expect(await capabilities.verifyGateway(await signed(gateway, typ))).toBeDefined();
    for (const wrong of [{ int: 'shop' }, { epo: '7' }, { acc: 'admin' }, { aud: 'execution' }, { eid: 'x' }])
      expect(await capabilities.verifyGateway(await signed({ ...gateway, ...wrong }, typ))).toBeUndefined();
    expect(await capabilities.verifyGateway(await signed(gateway))).toBeUndefined();
  });
});
