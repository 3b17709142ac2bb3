import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { egressSockets } from '../../../src/kernel/egress/index.ts';
import type { ProviderAccess, ProviderFailure, ProviderNet } from '../../../src/modules/integrations/index.ts';
import { ClusterClients } from '../../../src/modules/providers/document-db/cluster-clients.ts';
import { DocumentDatabases } from '../../../src/modules/providers/document-db/index.ts';
import { DocumentDbPeer, READ_ACTIONS } from '../../support/peers/document-db/document-db-peer.ts';
import { Outside } from '../../support/peers/outside.ts';
import { until } from '../../support/until.ts';

/** The driver of document databases reaches only servers that were judged, in bounded time and number. */

let adapter: DocumentDatabases;
let outside: Outside;
let peer: DocumentDbPeer;
let names = 0;

beforeAll(async () => {
  outside = await Outside.start();
  peer = await DocumentDbPeer.start(outside);
});
beforeEach(() => {
  peer.reset();
  peer.users.set('runner', { password: 'CANARY-password', actions: READ_ACTIONS });
  adapter = new DocumentDatabases(['.mongodb.net']);
  outside.attempts.length = 0;
});
afterEach(() => adapter.close());
afterAll(() => {
  expect(peer.faults).toEqual([]);
  outside.stop();
});

const verify = (access: ProviderAccess = peer.access(), net: ProviderNet = peer.net()) =>
  adapter.verify(access, null, net);
async function failureOf(work: Promise<unknown>) {
  const error = (await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as ProviderFailure | undefined;
  expect(`${error?.message} ${JSON.stringify(error?.failure)}`).not.toMatch(/CANARY|mongodb\.net|10\.0\.0/);
  return error?.failure;
}
/** A cluster at which the peer's server, or another one, is said to be. */
function cluster(...servers: readonly { readonly target: string; readonly port?: number }[]): ProviderAccess {
  const clusterHost = `c${(names += 1)}.ab1cd.mongodb.net`;
  const records = servers.map(({ target, port = 27_017 }) => ({ target, port }));
  outside.names.service(`_mongodb._tcp.${clusterHost}`, ...records);
  return peer.access({ clusterHost });
}

describe('no socket is opened', () => {
  it.each<[string, () => ProviderAccess]>([
    ['to a private address', () => cluster({ target: host('in', ['10.0.0.7']) })],
    ['to this machine', () => cluster({ target: host('here', ['127.0.0.1']) })],
    ['to where credentials of a machine are', () => cluster({ target: host('cloud', ['169.254.169.254']) })],
    [
      'where one of several addresses is private',
      () => cluster({ target: host('both', ['93.184.216.99', '10.0.0.7']) }),
    ],
    [
      'where one of several servers is private',
      () => cluster({ target: peer.server }, { target: host('other', ['10.0.0.8']) }),
    ],
    ['to a server of another domain', () => cluster({ target: 'shard-0.evil.mongodb.net' })],
    ['to a server that is an address', () => cluster({ target: '10.0.0.7' })],
    ['to a port of other services', () => cluster({ target: peer.server, port: 25 })],
    ['where the service has no servers', () => cluster()],
    ['where its only server has no address', () => cluster({ target: 'gone.ab1cd.mongodb.net' })],
    ['where nobody knows the name', () => peer.access({ clusterHost: 'nobody.ab1cd.mongodb.net' })],
  ])('%s', async (_, access) => {
    const began = performance.now();
    expect(await failureOf(verify(access()))).toMatchObject({ code: 'unavailable', sent: false });
    expect(performance.now() - began).toBeLessThan(2_500);
    expect([outside.attempts, peer.connections]).toEqual([[], 0]);
  });

  it('to a domain that the organization blocks', async () => {
    const net = peer.net({ blockedDomains: ['mongodb.net'] });
    expect(await failureOf(verify(undefined, net))).toMatchObject({ code: 'unavailable', sent: false });
    expect(peer.connections).toBe(0);
  });

  it.each([[['loadBalanced=maybe&tls=false']], [['authSource=']], [['replicaSet=a', 'replicaSet=b']]])(
    'where the texts of the name say %j',
    async (texts) => {
      const access = cluster({ target: peer.server });
      outside.names.texts(hostOf(access), ...texts);
      expect(await failureOf(verify(access))).toMatchObject({ code: 'bad_answer', sent: false });
      expect(peer.connections).toBe(0);
    },
  );

  it('where the deployment reaches the outside through a proxy only', async () => {
    const { fetch: fetching, signal } = peer.net();
    await expect(verify(undefined, { fetch: fetching, signal })).rejects.toMatchObject({
      issues: [{ code: 'not_configured' }],
    });
    const egress = outside.egress({ proxy: new URL('http://proxy.example:3128') });
    expect(egressSockets(egress, { signal })).toBeUndefined();
    expect(peer.connections).toBe(0);
  });

  it('to members that a server names', async () => {
    peer.hello = {
      hosts: ['10.0.0.7:27017', '/tmp/inside.sock', 'other.ab1cd.mongodb.net:27017'],
      passives: ['[::1]:1'],
    };
    await verify();
    await verify();
    expect(new Set(outside.attempts)).toEqual(new Set([`${addressOf(peer)}:27017`]));
  });
});

describe('a connection', () => {
  it('logs in at the database of users, under the name of the service, whatever the name server says', async () => {
    outside.names.texts(peer.host, 'authSource=other&replicaSet=atlas-1');
    await verify();
    expect(peer.logins).toBe(1);
    outside.names.texts(peer.host, 'authSource=admin&replicaSet=atlas-1');
  });

  it('is kept for the next call of the same user of the same connector, and for nobody else', async () => {
    await verify();
    await verify();
    expect(peer.logins).toBe(1);
    await verify(undefined, peer.net({ connector: 'another' }));
    expect(peer.logins).toBe(2);
    peer.users.set('other', { password: 'CANARY-other', actions: READ_ACTIONS });
    await verify(peer.access({ username: 'other', password: 'CANARY-other' }));
    expect([peer.logins, adapter.clients.size]).toEqual([3, 3]);
  });

  it('is closed after a rest', async () => {
    adapter = new DocumentDatabases(['.mongodb.net'], new ClusterClients(100));
    await verify();
    expect(peer.open).toBeGreaterThan(0);
    await until('the connection is closed', () => peer.open === 0 && adapter.clients.size === 0);
  });

  it('gives way to others where there are many', async () => {
    for (let index = 0; index < 40; index += 1) await verify(undefined, peer.net({ connector: `connector ${index}` }));
    expect(adapter.clients.size).toBe(32);
    // One for commands and one that watches the server.
    await until('older ones are closed', () => peer.open <= 64);
    const { logins } = peer;
    await verify(undefined, peer.net({ connector: 'connector 39' }));
    expect(peer.logins).toBe(logins);
    await adapter.close();
    await until('all are closed', () => peer.open === 0);
  });

  it('finds the server that takes writes among several', async () => {
    const second = await DocumentDbPeer.start(outside, 'second');
    second.users.set('runner', { password: 'CANARY-password', actions: READ_ACTIONS });
    second.hello = {
      isWritablePrimary: false,
      ismaster: false,
      secondary: true,
      me: `${second.server}:27017`,
      primary: `${peer.server}:27017`,
    };
    const access = cluster({ target: second.server }, { target: 'gone.ab1cd.mongodb.net' }, { target: peer.server });
    await verify(access);
    expect([peer.named('ping').length, second.commands]).toEqual([1, []]);
    peer.hello = second.hello;
    await adapter.close();
    expect(await failureOf(verify(access))).toMatchObject({ code: 'unavailable' });
  });

  it('is refused to a user whom nobody knows, at once', async () => {
    const began = performance.now();
    expect(await failureOf(verify(peer.access({ password: 'CANARY-wrong' })))).toMatchObject({
      code: 'credential_refused',
    });
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(adapter.clients.size).toBe(0);
  });

  it('is not made with a server whose certificate is of another name, whatever the environment says', async () => {
    const lying = host('lying', [addressOf(peer)]);
    const began = performance.now();
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    expect(await failureOf(verify(cluster({ target: lying })))).toMatchObject({ code: 'unavailable' });
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    expect(performance.now() - began).toBeLessThan(6_000);
    expect([peer.commands, peer.logins]).toEqual([[], 0]);
  });

  it('that breaks fails the call, and the next one makes another', async () => {
    peer.mishaps.set('connectionStatus', 'cut');
    expect(await failureOf(verify())).toMatchObject({ code: 'unavailable' });
    peer.mishaps.clear();
    await verify();
    peer.cut();
    await until('all are closed', () => peer.open === 0);
    // A read whose kept connection was closed is tried once more.
    await verify();
  });
});

describe('an answer', () => {
  const header = (size: number, operation = 2_013) => {
    const head = Buffer.alloc(21);
    for (const [index, value] of [size, 1, 1, operation].entries()) head.writeInt32LE(value, index * 4);
    return head;
  };
  it.each([
    ['of another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['of a negative size', header(-5)],
    ['of another operation', header(21, 4_711)],
    ['whose document is shorter than it says', Buffer.concat([header(26), Buffer.from([200, 0, 0, 0, 0])])],
    ['that announces more than it sends', header(2_000_000_000)],
  ])('%s fails its call, and nothing else', async (_, bytes) => {
    peer.mishaps.set('ping', bytes);
    const failure = await failureOf(verify(undefined, peer.net({ signal: AbortSignal.timeout(1_000) })));
    expect(['unavailable', 'bad_answer']).toContain(failure?.code);
    peer.mishaps.clear();
    await verify();
  });
});

describe('a server that is slow', () => {
  it('is left when the caller goes, or its time is over', async () => {
    peer.mishaps.set('ping', 'silent');
    const began = performance.now();
    expect(await failureOf(verify(undefined, peer.net({ signal: AbortSignal.timeout(500) })))).toMatchObject({
      code: 'unavailable',
    });
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it('is asked by four calls at once of a connector, however many come', async () => {
    peer.slowMs = 5;
    await Promise.all(Array.from({ length: 64 }, () => verify()));
    expect(peer.mostActive).toBeLessThanOrEqual(4);
    expect(peer.mostActive).toBeGreaterThan(1);
    expect(peer.named('ping')).toHaveLength(64);
  });
});

function hostOf({ secret }: ProviderAccess): string {
  return secret.kind === 'srv' ? secret['clusterHost']! : '';
}

function host(name: string, addresses: readonly string[]): string {
  const full = `${name}.ab1cd.mongodb.net`;
  outside.names.host(full, addresses);
  return full;
}

function addressOf({ address }: DocumentDbPeer): string {
  return address;
}
