import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { Outside } from '../peers/outside.ts';
import { DROPPED, fillStore, LIVE_KEY, PaymentsPeer } from '../peers/payments-peer.ts';
import { useTestApp, useWorkplace } from '../use-test-app.ts';
import { capabilityOf } from './connected-servers.ts';

const KEY = 'payments-provider';

export interface Answered {
  readonly status: number;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
}

/** An organization with the connector of payments, and the provider with three stores; see `use-test-app.ts`. */
export function usePayments() {
  const app = useTestApp();
  const place = useWorkplace(app);
  const at = (rest = '') => place.path(`/integrations/${KEY}${rest}`);
  let outside: Outside;
  let peer: PaymentsPeer;
  let id: string;
  let called: (tool: string, args: object) => Promise<Answered>;

  beforeAll(async () => {
    outside = await Outside.start();
    outside.surround(app);
    peer = await PaymentsPeer.start(outside);
    const { organizationId } = place;
    await app.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [organizationId]);
    ({ id } = (await place.owner.get(at())).body.data as { id: string });
    await place.owner.put(at('/profiles'), { profileGrants: ['growth'], readOnlyProfileKeys: [] });
  });
  afterAll(() => outside.stop());
  beforeEach(() => {
    peer.forget();
    for (const store of [1, 2, 3]) fillStore(peer, store);
  });

  const connect = (apiKey = LIVE_KEY) => place.owner.put(at('/credential'), { kind: 'api_key', apiKey });
  const save = (settings: object) => place.owner.put(at('/settings'), { settings: { kind: KEY, ...settings } });
  const startRun = async () => {
    const { agent } = await place.run();
    const { caller, pathTo } = await capabilityOf(place, agent, { id, key: KEY });
    called = (tool, args) => caller.post(pathTo(`/tools/${tool}/call`), { arguments: args });
  };
  return {
    app,
    place,
    at,
    connect,
    save,
    startRun,
    /** Connects to stores 1 and 3, for a run that may do everything. */
    connectStores: async () => {
      for (const store of [1, 2, 3]) fillStore(peer, store);
      await connect();
      await save({ storeIds: ['1', '3'] });
      await place.owner.put(at('/tools'), { accessMode: 'autonomous' });
      await startRun();
    },
    /** As the run that was started last. */
    call: (tool: string, args: object) => called(tool, args),
    stores: (body: object = {}) => place.owner.post(at('/payments-provider/stores'), body),
    row: async () => {
      const values = [place.organizationId, id];
      const { rows } = await app.db.query('select * from integration where organization_id = $1 and id = $2', values);
      return rows[0] as Record<string, unknown>;
    },
    /** Neither a key nor what outputs leave out has come to anybody, and the peer was asked for nothing that it does not know. */
    expectClean: (...answers: readonly { readonly text: string }[]) => {
      for (const { text } of answers) expect(text).not.toMatch(/CANARY/);
      expect(peer.faults).toEqual([]);
    },
    get outside() {
      return outside;
    },
    get peer() {
      return peer;
    },
    get id() {
      return id;
    },
  };
}

export const wordOf = ({ status, body }: Answered) => [status, body.error.issues[0].path, body.error.issues[0].code];

export const statusOf = (code: number) => (_: unknown, response: ServerResponse) => {
  response.writeHead(code, { 'content-type': 'application/vnd.api+json' }).end(`{"errors":[{"title":"${DROPPED}"}]}`);
  return true;
};
