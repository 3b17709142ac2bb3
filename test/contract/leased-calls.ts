import { randomUUID } from 'node:crypto';
import { chatRow } from '../support/factories/chats.ts';
import type { TestApp } from '../support/test-app.ts';
import { profileOf } from '../support/factories/profiles.ts';
import { probeConnector, serveProvider } from '../support/factories/integrations/probe-provider.ts';
import { AnalyticsPeer } from '../support/peers/providers/analytics-peer.ts';
import { CodeHostPeer } from '../support/peers/providers/code-host-peer.ts';
import { Outside } from '../support/peers/outside.ts';
import { fillStore, LIVE_KEY, PaymentsPeer } from '../support/peers/payments-peer.ts';
import { cancelTurn, heldTurn, waitingTurn } from '../support/factories/turns.ts';
import { type Claimed, claimOne, queueTask, startClaimed } from '../support/factories/work.ts';

/** What replaces the ids and fences of an example, which no lease has. */
export interface LeasedCall {
  readonly ids: Readonly<Record<string, string>>;
  /** Absent of a call without one. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Called behind the call. */
  readonly end?: () => void;
}

type Prepare = (app: TestApp, organizationId: string) => Promise<LeasedCall>;

const onClaim =
  (more: () => Record<string, unknown>): Prepare =>
  async (app, organizationId) => {
    const { runRequestId, leaseToken } = await claimed(app, organizationId);
    return { ids: { runRequestId }, body: { organizationId, leaseToken, ...more() } };
  };

const onRun: Prepare = async (app, organizationId) => {
  await queueFirst(app, organizationId);
  const { runId, leaseToken } = await startClaimed(app, organizationId);
  return { ids: { runId }, body: { organizationId, leaseToken } };
};

const onTurn: Prepare = async (app, organizationId) => {
  const { turnId, leaseToken } = await heldTurn(app, organizationId);
  return { ids: { turnId }, body: { organizationId, leaseToken } };
};

/** Of a kind that has settings and reports. */
const onProbe: Prepare = async (app, organizationId) => {
  serveProvider(app);
  // It has no settings yet.
  const settings = { kind: 'probe-analytics', propertyIds: ['213025502'], defaultPropertyId: '213025502' };
  const body = { settings, expectedSettings: undefined };
  return { ids: { integrationRef: await probeConnector(app, organizationId) }, body };
};

const onProbeReports: Prepare = async (app, organizationId) => {
  serveProvider(app);
  return { ids: { integrationRef: await probeConnector(app, organizationId) } };
};

/** Of the kind that has it, at a provider that answers. */
const onSelector =
  (kind: string, start: (outside: Outside) => Promise<unknown>, body?: Readonly<Record<string, unknown>>): Prepare =>
  async (app, organizationId) => {
    const outside = await Outside.start();
    await start(outside);
    outside.surround(app);
    return {
      ids: { integrationRef: await probeConnector(app, organizationId, kind) },
      ...(body ? { body } : {}),
      end: () => outside.stop(),
    };
  };

/** The calls of workers, each of which needs work of its own to succeed. */
export const LEASED_CALLS: Readonly<Record<string, Prepare>> = {
  'POST /internal/run-requests/claim': async (app, organizationId) => {
    await queueFirst(app, organizationId);
    return { ids: {}, body: { organizationIds: [organizationId] } };
  },
  'POST /internal/run-requests/{runRequestId}/start': onClaim(() => ({ runId: randomUUID() })),
  'POST /internal/run-requests/{runRequestId}/release': onClaim(() => ({})),
  'POST /internal/runs/{runId}/running': onRun,
  'POST /internal/runs/{runId}/heartbeat': onRun,
  'POST /internal/runs/{runId}/logs': onRun,
  'POST /internal/runs/{runId}/complete': onRun,
  'POST /internal/runs/{runId}/fail': onRun,
  // Through the connector of the tests, which serves whatever it is told to do.
  'POST /internal/agent/organizations/{organizationId}/actions': () =>
    Promise.resolve({
      ids: {},
      body: { kind: 'tool_call', connectorKey: 'probe', toolName: 'post', expiresAt: undefined },
    }),
  'PUT /organizations/{organizationId}/integrations/{integrationRef}/settings': onProbe,
  'PUT /organizations/{organizationId}/integrations/{integrationRef}/reporting-credential': onProbeReports,
  'POST /organizations/{organizationId}/integrations/{integrationRef}/payments-provider/stores': onSelector(
    'payments-provider',
    async (outside) => fillStore(await PaymentsPeer.start(outside), 1),
    { apiKey: LIVE_KEY },
  ),
  'GET /organizations/{organizationId}/integrations/{integrationRef}/web-analytics/properties': onSelector(
    'web-analytics',
    async (outside) => {
      const peer = await AnalyticsPeer.start(outside);
      peer.isOpen = true;
      peer.properties.set('213025502', { displayName: 'Shop' });
    },
  ),
  'GET /organizations/{organizationId}/integrations/{integrationRef}/resources': onSelector(
    'code-host',
    async (outside) => {
      const peer = await CodeHostPeer.start(outside);
      peer.override = () => ({ body: [{ full_name: 'acme/shop', default_branch: 'main' }] });
    },
  ),
  'POST /internal/agent/organizations/{organizationId}/integrations/resolve': async (app, organizationId) => ({
    ids: {},
    body: { agentProfileId: await profileOf(app, organizationId, 'operator') },
  }),
  'POST /internal/chat-turns/claim': async (app, organizationId) => {
    await waitingTurn(app, organizationId, { chatId: await chatRow(app, organizationId) });
    return { ids: {}, body: { organizationIds: [organizationId] } };
  },
  'POST /internal/chat-turns/{turnId}/release': onTurn,
  'POST /internal/chat-turns/{turnId}/running': onTurn,
  'POST /internal/chat-turns/{turnId}/heartbeat': onTurn,
  'POST /internal/chat-turns/{turnId}/append': onTurn,
  'POST /internal/chat-turns/{turnId}/complete': onTurn,
  'POST /internal/chat-turns/{turnId}/fail': onTurn,
  'POST /internal/chat-turns/{turnId}/cancelled': async (app, organizationId) => {
    const turn = await heldTurn(app, organizationId);
    await cancelTurn(app, turn);
    return { ids: { turnId: turn.turnId }, body: { organizationId, leaseToken: turn.leaseToken } };
  },
  'POST /internal/agent/organizations/{organizationId}/insights/query': asOperator,
  'POST /internal/agent/organizations/{organizationId}/insights/refresh': asOperator,
  // A runtime has to name the acting profile.
  'POST /internal/agent/organizations/{organizationId}/schedules': async (app, organizationId) => ({
    ids: {},
    body: { agentProfileId: await profileOf(app, organizationId) },
  }),
};

/** What an execution asks is asked for its own profile. */
async function asOperator(app: TestApp, organizationId: string) {
  return { ids: {}, body: { agentProfileId: await profileOf(app, organizationId, 'operator') } };
}

/** Queues work ahead of all that is there, of an organization that runs any number at once. */
async function queueFirst(app: TestApp, organizationId: string): Promise<void> {
  for (const table of ['organization_capacity', 'profile_capacity'])
    await app.db.query(`update ${table} set max_live_runs = 1000 where organization_id = $1`, [organizationId]);
  await queueTask(app, organizationId, { priority: 1_000 });
}

async function claimed(app: TestApp, organizationId: string): Promise<Claimed> {
  await queueFirst(app, organizationId);
  return claimOne(app, organizationId);
}
