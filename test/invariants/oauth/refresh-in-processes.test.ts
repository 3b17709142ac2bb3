import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { authorizedConnector, authorizingEnv } from '../../support/factories/integrations/authorized-connectors.ts';
import { type AuthorizationRequest, AuthorizationPeer } from '../../support/peers/authorization-peer.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { until } from '../../support/until.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

/** How often a token expires; the big run says more. */
const EXPIRIES = Number(process.env.OAUTH_EXPIRIES ?? 3);
const READERS = 16;
/** Connectors whose refreshers die, or stand still. */
const DEATHS = Number(process.env.OAUTH_DEATHS ?? 6);
/** The big run waits until claims lapse by themselves. */
const IS_BIG = process.env.OAUTH_DEATHS !== undefined;
const CLAIM_MS = 20_000;
const HOUR_SECONDS = 3_600;

const issuer = await AuthorizationPeer.start();
const server = await McpPeer.start([{ name: 'orders_list', annotations: { readOnlyHint: true } }]);
const app = useTestApp({ ownDatabase: true, env: authorizingEnv(server, issuer) });
const owner = usePerson(app);
let organizationId: string;
let connectors: readonly string[];
/** One is there all the time; the other one dies, and another one comes. */
let steady: ServiceProcess;
let mortal: ServiceProcess;

function start(preload: string, more: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const env = onDatabase(app.databaseUrl, {
    PEERS: `${server.origin},${issuer.issuer}`,
    PEERS_CA: server.env.EGRESS_LOCAL_CA_FILE!,
    ROLE: 'api',
    ...more,
  });
  return ServiceProcess.start({ env, preload: `./test/support/processes/${preload}.mjs` });
}

beforeAll(async () => {
  organizationId = await organizationOf(owner);
  issuer.guard(server);
  [steady, mortal] = await Promise.all([start('reach-peers'), start('reach-peers')]);
  connectors = await authorized(1);
}, 120_000);
beforeEach(() => {
  issuer.answering = undefined;
});
afterAll(async () => {
  await ServiceProcess.killAll();
  await issuer.stop();
  await server.stop();
});

async function authorized(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await authorizedConnector(app, owner, organizationId, server, issuer));
  return ids;
}

/** An owner's look at the tools, which asks the server with the token. */
async function discover(at: ServiceProcess, connector: string): Promise<number> {
  const path = `/organizations/${organizationId}/integrations/${connector}/discover`;
  const headers = { authorization: `Bearer ${owner.token}` };
  return (await fetch(`${at.baseUrl}${path}`, { method: 'POST', headers })).status;
}

const lookAtAll = (at: ServiceProcess) => Promise.all(connectors.map((each) => discover(at, each)));

/** What is known in the end: a busy machine may answer late, which loses nothing. */
async function lookUntilKnown(at: ServiceProcess): Promise<readonly number[]> {
  let statuses = await lookAtAll(at);
  await until('all are answered', async () => {
    if (!statuses.includes(503)) return true;
    await set('next_refresh_at = null');
    statuses = await lookAtAll(at);
    return false;
  });
  return statuses;
}
const isRefresh = ({ form }: AuthorizationRequest) => form.get('grant_type') === 'refresh_token';
const asked = () => issuer.requests.filter(isRefresh).length;

function set(columns: string): Promise<unknown> {
  return app.db.query(`update integration_credential set ${columns} where integration_id = any($1)`, [connectors]);
}

async function rows() {
  const { rows: found } = await app.db.query(
    'select state, token_version, refresh_failures from integration_credential where integration_id = any($1)',
    [connectors],
  );
  return found;
}

const inState = async (state: string) => (await rows()).filter((row) => row.state === state).length;

/** What a process has claimed that is gone, or stands still, is free again after 20 s. */
async function claimsLapse(): Promise<void> {
  if (!IS_BIG) return void (await set('refresh_claim_until = now()'));
  const claimed = async () => {
    const { rows: live } = await app.db.query(
      'select 1 from integration_credential where integration_id = any($1) and refresh_claim_until > now()',
      [connectors],
    );
    return live.length > 0;
  };
  await until('the claims have lapsed', async () => !(await claimed()), CLAIM_MS + 5_000);
}

it(`asks once for each of ${EXPIRIES} expiries under ${READERS} readers on two processes, and refuses none`, async () => {
  const [connector] = connectors as [string];
  const before = asked();
  for (let expiry = 1; expiry <= EXPIRIES; expiry += 1) {
    await set('access_expires_at = now()');
    const readers = Array.from({ length: READERS }, (_, reader) => discover(reader % 2 ? steady : mortal, connector));
    expect(new Set(await Promise.all(readers))).toEqual(new Set([200]));
    expect(asked() - before).toBe(expiry);
  }
}, 900_000);

/** What has happened at the authorization server when a refresher dies, of the requests in their order. */
const MOMENTS = ['before the token was rotated', 'behind it', 'when it was stored'] as const;

/** Holds each refresh at its moment, until it is let go. */
class HeldRefreshes {
  readonly arrived = new Map<(typeof MOMENTS)[number], number>(MOMENTS.map((moment) => [moment, 0]));
  private readonly gate = Promise.withResolvers<void>();
  private count = 0;

  constructor() {
    issuer.answering = async (request, response) => {
      if (!isRefresh(request)) return false;
      const moment = MOMENTS[this.count++ % MOMENTS.length]!;
      if (moment === 'behind it') this.holdAnswer(response);
      else this.reached(moment);
      if (moment !== 'before the token was rotated') return false;
      await this.gate.promise;
      response.destroy();
      return true;
    };
  }

  get all(): number {
    return [...this.arrived.values()].reduce((sum, each) => sum + each);
  }

  letGo(): void {
    issuer.answering = undefined;
    this.gate.resolve();
  }

  private holdAnswer(response: ServerResponse): void {
    const end = response.end as (...given: unknown[]) => ServerResponse;
    response.end = ((...given: Parameters<typeof end>) => {
      this.reached('behind it');
      void this.gate.promise.then(() => end.apply(response, given));
      return response;
    }) as typeof response.end;
  }

  private reached(moment: (typeof MOMENTS)[number]): void {
    this.arrived.set(moment, this.arrived.get(moment)! + 1);
  }
}

describe(`of ${DEATHS} connectors whose tokens are refreshed`, () => {
  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'only those are lost whose rotated token came to nobody, by %s',
    async (signal) => {
      connectors = await authorized(DEATHS);
      await set('access_expires_at = now()');
      const held = new HeldRefreshes();
      const looks = connectors.map((each) => discover(mortal, each).catch(() => 0));
      await until('all refreshes have arrived', () => held.all === DEATHS);
      await until('those that were answered are stored', async () => {
        return (
          (await rows()).filter((row) => row.token_version === 2).length === held.arrived.get('when it was stored')
        );
      });
      mortal.signal(signal);
      if (signal === 'SIGKILL') await mortal.exited;
      else await until('it stands still', () => mortal.isStopped());
      await claimsLapse();
      issuer.answering = undefined;
      const statuses = await lookAtAll(steady);
      if (signal === 'SIGSTOP') mortal.signal('SIGCONT');
      held.letGo();
      await Promise.all(looks);
      const lost = held.arrived.get('behind it')!;
      expect(statuses.filter((status) => status === 409)).toHaveLength(lost);
      expect(statuses.filter((status) => status === 200)).toHaveLength(DEATHS - lost);
      expect(await inState('reauthorization_required')).toBe(lost);
      expect((await lookUntilKnown(steady)).filter((status) => status === 200)).toHaveLength(DEATHS - lost);
      if (IS_BIG) console.info(`${signal}: ${lost} of ${DEATHS} lost, each with its rotated token`);
      if (signal === 'SIGKILL') mortal = await start('reach-peers');
    },
    120_000,
  );

  it('none is lost by a process that stood still between its claim and its question', async () => {
    await mortal.kill();
    mortal = await start('stop-before-asking', IS_BIG ? {} : { CLAIM_MS: '500' });
    connectors = await authorized(DEATHS);
    await set('access_expires_at = now()');
    const before = asked();
    const looks = connectors.map((each) => discover(mortal, each));
    await until('it stands still', () => mortal.isStopped());
    const stoodStillAt = performance.now();
    await until('its claims are over', () => performance.now() - stoodStillAt > (IS_BIG ? CLAIM_MS : 500));
    await claimsLapse();
    expect(new Set(await lookUntilKnown(steady))).toEqual(new Set([200]));
    mortal.signal('SIGCONT');
    expect(new Set(await Promise.all(looks))).toEqual(new Set([200]));
    expect(asked() - before).toBe(DEATHS);
    expect(new Set(await lookUntilKnown(steady))).toEqual(new Set([200]));
  }, 120_000);

  it('none is lost while the authorization server is away for an hour, and it is asked now and then', async () => {
    connectors = await authorized(DEATHS);
    await set('access_expires_at = now()');
    issuer.answering = (request, response) => {
      if (isRefresh(request)) response.destroy();
      return isRefresh(request);
    };
    const before = asked();
    let seconds = 0;
    let tries = 0;
    for (; seconds < HOUR_SECONDS; tries += 1) {
      const statuses = await Promise.all([steady, mortal, steady, mortal].map((at) => lookAtAll(at)));
      expect(new Set(statuses.flat())).toEqual(new Set([503]));
      const { rows: waits } = await app.db.query<{ wait: string }>(
        `select max(extract(epoch from next_refresh_at - now())) as wait from integration_credential
         where integration_id = any($1)`,
        [connectors],
      );
      // The hour passes by what it waits for.
      seconds += Math.ceil(Number(waits[0]!.wait));
      await set(`next_refresh_at = now()`);
    }
    expect(asked() - before).toBe(tries * DEATHS);
    expect(tries).toBeLessThan(12);
    issuer.answering = undefined;
    expect(new Set(await lookUntilKnown(mortal))).toEqual(new Set([200]));
    expect(await inState('connected')).toBe(DEATHS);
    if (IS_BIG) console.info(`an hour away: ${tries} tries of each of ${DEATHS}, none lost`);
  }, 120_000);
});
