import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { egressFetch } from '../../../src/kernel/egress/index.ts';
import { KeyValueStore } from '../../../src/modules/providers/key-value-store/index.ts';
import { type Command, COMMANDS, keysOf } from '../../../src/modules/providers/key-value-store/commands.ts';
import { KeyValuePeer } from '../../support/peers/key-value-peer.ts';
import { Outside } from '../../support/peers/outside.ts';

let outside: Outside;
let peer: KeyValuePeer;
let token: string;

beforeAll(async () => {
  outside = await Outside.start();
  peer = await KeyValuePeer.start(outside);
  token = await peer.token();
});
afterAll(async () => {
  await peer.stop();
  outside.stop();
});

/** What stands behind the keys of commands that want more. */
const REST: Readonly<Record<string, readonly string[]>> = {
  GETRANGE: ['0', '1'],
  HGET: ['field'],
  HMGET: ['field', 'field2'],
  HSCAN: ['0', 'MATCH', 'm', 'COUNT', '10'],
  LINDEX: ['0'],
  LRANGE: ['0', '1'],
  SISMEMBER: ['member'],
  SSCAN: ['0', 'MATCH', 'm', 'COUNT', '10'],
  XRANGE: ['-', '+', 'COUNT', '10'],
  ZCOUNT: ['-inf', '+inf'],
  ZRANGE: ['-inf', '+inf', 'BYSCORE', 'LIMIT', '0', '10', 'WITHSCORES'],
  ZRANK: ['member'],
  ZSCAN: ['0', 'COUNT', '10'],
  ZSCORE: ['member'],
};
const SEVERAL = new Set(['MGET', 'EXISTS']);
/** Redis has no JSON. */
const KNOWN = COMMANDS.filter((name) => !name.startsWith('JSON.'));

it.each(KNOWN)('looks for the keys of %s where a real Redis does', async (name) => {
  const command: Command = [name, 'key', ...(SEVERAL.has(name) ? ['key2', 'key3'] : []), ...(REST[name] ?? [])];
  expect(keysOf(command)).toEqual(await peer.redis.call('COMMAND', 'GETKEYS', ...command));
});

const ALL = { scope: { mode: 'all' } } as const;

/** Calls at once of one connector, in the places of one integration. */
function calling() {
  const store = new KeyValueStore(['.upstash.io']);
  const egress = outside.egress();
  const access = { endpoint: null, secret: { kind: 'rest_token', url: peer.origin, token }, mcp: null } as const;
  const limits = { totalMs: 60_000, maxBytes: 4 * 1_024 * 1_024 };
  const net = {
    fetch: egressFetch(egress, { hosts: [peer.origin], limits, places: 'integration' }),
    signal: new AbortController().signal,
  };
  const get = store.tools(ALL).find(({ name }) => name === 'upstash_get')!;
  return (key: string) =>
    store.call(
      store.scope(get, { key }, ALL, () => true),
      access,
      net,
    );
}

it('asks a store four things at once at most, whatever is called', async () => {
  await peer.reset();
  await peer.redis.set('a', '1');
  // Each waits for three others, so that four are there at once, and a fifth would show.
  const waiting: (() => void)[] = [];
  peer.answering = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    if (waiting.length === 4) for (const go of waiting.splice(0)) go();
    await promise;
  };
  const call = calling();
  const outputs = await Promise.all(Array.from({ length: 64 }, () => call('a')));
  expect(outputs.every(({ truncated }) => !truncated)).toBe(true);
  expect([peer.requests.length, peer.atOnce.most]).toEqual([64, 4]);
});

it('keeps nothing of twenty answers of the maximum size at once', async () => {
  await peer.reset();
  // In base64, with what stands around it, 1 MiB but for some bytes.
  await peer.redis.set('a', Buffer.alloc(786_400, 'a'));
  const call = calling();
  const round = () => Promise.all(Array.from({ length: 20 }, () => call('a')));
  await round();
  const before = await retained();
  for (let rounds = Number(process.env.KEY_VALUE_ROUNDS ?? 2); rounds > 0; rounds -= 1) await round();
  const grown = (await retained()) - before;
  if (process.env.KEY_VALUE_ROUNDS) process.stderr.write(`retained ${Math.round(grown / 1_024)} KiB\n`);
  expect(grown).toBeLessThan(16 * 1_024 * 1_024);
});

/** Bytes that are held once what nobody holds is gone, which takes a turn of the loop for what buffers held. */
async function retained(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 3; turn += 1) {
    collect();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
