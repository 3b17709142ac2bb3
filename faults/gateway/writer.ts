import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { dataOf } from '../actions/action-company.ts';
import type { Claim } from '../attempt.ts';
import { type Client, GaveUp, type Heard, type Request } from '../client.ts';
import type { Random } from '../random.ts';
import type { Connector, GatewayCompany } from './gateway-company.ts';
import { TOOL } from './tool-server.ts';

const OTHER = { op: 'other', name: 'write' } as const;
const WORKPLACE = { harness: 'faults', model: 'none', workspaceUri: 'workspace://faults' };
const HEARTBEAT_MS = 3_000;
/** A write is answered late where its server fails for now, or its process was killed. */
const CALL_WAIT_MS = 15_000;
const MOST_TRIES = 50;
const ENDED = new Set(['succeeded', 'failed', 'not_executed', 'rejected', 'expired', 'cancelled']);

interface Seat {
  readonly client: Client;
  readonly serviceToken: string;
  readonly company: GatewayCompany;
  readonly random: Random;
}

/** What an execution may call, and how its tool is defined there. */
interface Access {
  readonly token: string;
  readonly path: string;
  readonly edition: number;
}

interface MadeAction {
  readonly id: string;
  readonly status: string;
}

interface ManifestAction {
  readonly actionId: string;
}

/**
 * A runtime whose runs write through a connector, one write after the other, each by one of the two ways of the gateway; a
 * tool in quarantine is looked at by the owner, and the write made by its new definition. A run ends by a wait for the writes
 * of which nobody knows.
 */
export class Writer {
  /** Writes of which an action was met, by the way that they went. */
  readonly written = { call: 0, mcp: 0 };
  private readonly seat: Seat;
  private readonly worker = { workerId: `writer-${randomUUID()}`, bootId: randomUUID() };

  constructor(seat: Seat) {
    this.seat = seat;
  }

  async work(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const connector = this.seat.company.take();
      if (!connector) {
        await wait(100);
        continue;
      }
      const body = { ...this.worker, requestKey: randomUUID(), executionClasses: ['standard'], waitSeconds: 1 };
      const claims = await this.asRuntime('/internal/run-requests/claim', body).then(
        (heard) => (heard.status === 200 ? (heard.body.data as Claim[]) : []),
        unlessGivenUp,
      );
      for (const claim of claims ?? []) await this.run(claim, connector).catch(unlessGivenUp);
      this.seat.company.giveBack(connector);
    }
  }

  private async run({ organizationId, runRequestId, leaseToken }: Claim, connector: Connector): Promise<void> {
    const fence = { organizationId, leaseToken };
    const runId = randomUUID();
    const start = { ...fence, ...this.worker, runId };
    const { executionToken } = dataOf(await this.asRuntime(`/internal/run-requests/${runRequestId}/start`, start));
    const onRun = (call: string, body: object) =>
      this.asRuntime(`/internal/runs/${runId}/${call}`, { ...fence, ...body });
    const asAgent = async (method: Request['method'], rest: string, body?: object) => {
      const path = `/internal/agent/organizations/${organizationId}/${rest}`;
      return this.send({ method, path, token: executionToken, ...(body ? { body } : {}), intent: OTHER });
    };
    dataOf(await onRun('running', WORKPLACE));
    const over = new AbortController();
    const beating = this.beat(onRun, over.signal);
    try {
      const { task, decisions, unresolvedActions } = dataOf(await asAgent('GET', 'execution'));
      const parked: string[] = unresolvedActions.map(({ actionId }: ManifestAction) => actionId);
      // What an earlier run of the task has left.
      const count = Number(task.title.replace('Write ', '')) - decisions.length - parked.length;
      for (let n = 1; n <= count; n += 1) {
        const { id, status } = await this.write(asAgent, connector, `${runId} ${n}`);
        if (!ENDED.has(status)) parked.push(id);
      }
      const result =
        parked.length > 0
          ? { kind: 'action_wait', summary: 'Waits for what nobody knows of', actionIds: parked }
          : { kind: 'completed', summary: 'All have ended' };
      dataOf(await onRun('complete', { output: { kind: 'task_result', result } }));
    } finally {
      over.abort();
      await beating;
    }
  }

  /** Keeps the run while its writes wait for processes that were killed. */
  private async beat(onRun: (call: string, body: object) => Promise<Heard>, until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      await onRun('heartbeat', {}).catch(unlessGivenUp);
      await wait(HEARTBEAT_MS, undefined, { signal: until }).catch(() => undefined);
    }
  }

  /** Makes one write; returns its action once that has ended, or waits for somebody who knows. */
  private async write(asAgent: AsAgent, connector: Connector, marker: string): Promise<MadeAction> {
    const way = this.seat.random.chance(0.5) ? 'call' : 'mcp';
    for (let tries = 1; tries <= MOST_TRIES; tries += 1, await wait(100)) {
      const access = await this.accessTo(asAgent, connector);
      if (!access) {
        await this.seat.company.reselect(connector);
        continue;
      }
      const made = way === 'call' ? await this.call(access, marker) : await this.callByMcp(access, marker);
      if (!made) continue;
      this.written[way] += 1;
      return this.ended(asAgent, made);
    }
    throw new GaveUp(`the write ${marker}`);
  }

  /** Undefined where no tool may be called, since it was defined anew. */
  private async accessTo(asAgent: AsAgent, { key }: Connector): Promise<Access | undefined> {
    const { organization } = dataOf(await asAgent('GET', 'execution'));
    const { authorizationEpoch } = organization;
    const heard = await asAgent('POST', `integrations/${key}/capability`, { authorizationEpoch });
    if (heard.status !== 201) return undefined;
    const { integrationGatewayCapability: token, integrationId } = heard.body.data;
    const path = `/internal/gateway/integrations/${integrationId}`;
    const listed = await this.send({ method: 'GET', path: `${path}/tools`, token, intent: OTHER });
    if (listed.status !== 200) return undefined;
    const edition = listed.body.data.tools[0]?.inputSchema.properties.edition.const as number | undefined;
    return edition === undefined ? undefined : { token, path, edition };
  }

  private async call({ token, path, edition }: Access, marker: string): Promise<MadeAction | undefined> {
    const body = { arguments: { marker, edition }, dedupeKey: `${marker} ${edition}` };
    const heard = await this.gateway({ path: `${path}/tools/${TOOL}/call`, token, body });
    return heard.status > 299 ? refusal(heard) : (heard.body.data.action ?? undefined);
  }

  private async callByMcp({ token, path, edition }: Access, marker: string): Promise<MadeAction | undefined> {
    const params = { name: TOOL, arguments: { marker, edition } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const heard = await this.gateway({ path: `${path}/mcp`, token, body });
    if (heard.status > 299) return refusal(heard);
    const { actionId: id, status } = heard.body.result?._meta ?? {};
    return id === undefined ? undefined : { id, status };
  }

  private gateway(request: Pick<Request, 'path' | 'token' | 'body'>): Promise<Heard> {
    return this.send({ ...request, method: 'POST', intent: OTHER, waitMs: CALL_WAIT_MS });
  }

  /** Looks at an action until it has ended or is parked; approves it as an owner does who finds it in the inbox. */
  private async ended(asAgent: AsAgent, made: MadeAction): Promise<MadeAction> {
    for (let { id, status } = made; ; await wait(100)) {
      if (ENDED.has(status) || status === 'reconciliation_required') return { id, status };
      if (status === 'awaiting_approval') await this.approve(id);
      status = await this.statusOf(asAgent, id);
    }
  }

  private async statusOf(asAgent: AsAgent, id: string): Promise<string> {
    const { decisions, unresolvedActions } = dataOf(await asAgent('GET', 'execution'));
    return [...decisions, ...unresolvedActions].find(({ actionId }: ManifestAction) => actionId === id)!.status;
  }

  /** What is decided or expired meanwhile is seen at the next look. */
  private async approve(id: string): Promise<void> {
    await this.seat.company.approve(id).catch(() => undefined);
  }

  private asRuntime(path: string, body: object): Promise<Heard> {
    const waitMs = path.endsWith('/claim') ? 1_000 : 0;
    return this.send({ method: 'POST', path, token: this.seat.serviceToken, body, intent: OTHER, waitMs });
  }

  private send(request: Request): Promise<Heard> {
    return this.seat.client.call(request);
  }
}

type AsAgent = (method: Request['method'], rest: string, body?: object) => Promise<Heard>;

/** A refusal that another capability or definition may mend; anything else ends the run. */
function refusal(heard: Heard): undefined {
  if (heard.status !== 409) dataOf(heard);
}

/** The run lapses then, and the next one goes on. */
function unlessGivenUp(error: unknown): undefined {
  if (!(error instanceof GaveUp)) console.error(error);
}
