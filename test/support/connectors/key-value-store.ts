import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Client } from '../client.ts';
import { KeyValuePeer } from '../peers/key-value-peer.ts';
import { Outside } from '../peers/outside.ts';
import { useTestApp, useWorkplace } from '../use-test-app.ts';
import { capabilityOf, presentEpoch } from './connected-servers.ts';

export const KEY = 'key-value-store';
export const ALL = { kind: KEY, scope: { mode: 'all' } };
export const PREFIX = { kind: KEY, scope: { mode: 'prefix', prefix: 'app:' } };

interface Tool {
  readonly name: string;
  readonly definitionHash: string;
  readonly inputSchema: { properties: Record<string, { pattern?: string; items?: { pattern?: string } }> };
}
type Answer = Awaited<ReturnType<Client['put']>>;

export const wordOf = ({ status, body }: Answer) => [status, body.error.issues[0].path, body.error.issues[0].code];

/** An organization with the connector of a key-value store, and a real Redis behind it; see `use-test-app.ts`. */
export function useKeyValueStore() {
  const app = useTestApp();
  const place = useWorkplace(app);
  const at = (rest = '') => place.path(`/integrations/${KEY}${rest}`);
  let outside: Outside;
  let peer: KeyValuePeer;
  let token: string;

  beforeAll(async () => {
    outside = await Outside.start();
    peer = await KeyValuePeer.start(outside);
    token = await peer.token();
    outside.surround(app);
    const grants = { profileGrants: ['operator', 'chat', 'growth'], readOnlyProfileKeys: ['operator'] };
    expect((await place.owner.put(at('/profiles'), grants)).status).toBe(200);
  });
  beforeEach(() => peer.reset());
  afterAll(async () => {
    expect(peer.faults).toEqual([]);
    await peer.stop();
    outside.stop();
  });

  const connect = (given: object = {}) =>
    place.owner.put(at('/credential'), { kind: 'rest_token', url: peer.origin, token, ...given });
  const save = (settings: object, expectedSettings?: object) =>
    place.owner.put(at('/settings'), { settings, ...(expectedSettings ? { expectedSettings } : {}) });
  return {
    app,
    place,
    at,
    connect,
    save,
    disconnected: async () => {
      await place.owner.delete(at('/credential'));
    },
    projection: async () => (await place.owner.get(at())).body.data,
    epoch: () => presentEpoch(place),
    /** Connects with settings, and gives a way to call as a run of `growth`. */
    caller: async (settings: object = PREFIX) => {
      await connect();
      const saved = await save(settings);
      if (saved.status !== 200) throw new Error(saved.text);
      const { agent } = await place.run();
      const { caller: client, pathTo } = await capabilityOf(place, agent, { id: '', key: KEY });
      peer.requests.length = 0;
      return {
        call: (tool: string, args: object) => client.post(pathTo(`/tools/upstash_${tool}/call`), { arguments: args }),
        tools: async () => (await client.get(pathTo('/tools'))).body.data.tools as Tool[],
      };
    },
    get outside() {
      return outside;
    },
    get peer() {
      return peer;
    },
    get token() {
      return token;
    },
  };
}
