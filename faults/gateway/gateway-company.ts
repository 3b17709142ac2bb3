import { randomUUID } from 'node:crypto';
import { dataOf } from '../actions/action-company.ts';
import type { Client, Heard, Request } from '../client.ts';
import { TOOL, ToolServer } from './tool-server.ts';

/** Writes of a task, all of one run: a connector is used by one run at a time, so that each list is known to be of one write. */
const WRITES_A_TASK = 10;
/** A tool that changes while a write is proposed costs that write a second action. */
const SPARE = 3;
export const CONNECTORS = 8;
/** Every so many connectors ask a person before they write. */
const ASKS_EACH = 4;
const OTHER = { op: 'other', name: 'gateway' } as const;

export interface Connector {
  readonly key: string;
  readonly accessMode: 'ask_before_write' | 'autonomous';
}

/** An organization, its connectors to the server, and the owner who decides and looks at what changed. */
export class GatewayCompany {
  /** Ids of actions whose approval was acknowledged. */
  readonly approved = new Set<string>();
  /** How often tools in quarantine were selected again. */
  reselected = 0;
  private readonly client: Client;
  private readonly token: string;
  private readonly id: string;
  private readonly free: Connector[] = [];

  private constructor(client: Client, token: string, id: string) {
    this.client = client;
    this.token = token;
    this.id = id;
  }

  static async open(client: Client, token: string): Promise<GatewayCompany> {
    const body = { name: 'Gateway', website: 'https://faults.example', timezone: 'UTC', defaultCurrency: 'EUR' };
    const idempotencyKey = randomUUID();
    const heard = await client.call({
      method: 'POST',
      path: '/organizations',
      token,
      body,
      idempotencyKey,
      intent: OTHER,
    });
    const company = new GatewayCompany(client, token, dataOf(heard).organization.id);
    // Only the mode of a connector says then whether a person has to approve.
    dataOf(await company.owner('PATCH', '', { constraints: { approvalRequiredForRisk: [] } }));
    for (let n = 1; n <= CONNECTORS; n += 1) company.free.push(await company.connect(n));
    return company;
  }

  /** Hands in the tasks whose runs make so many writes. */
  async handIn(writes: number): Promise<void> {
    for (let left = writes; left > 0; left -= WRITES_A_TASK) {
      const count = Math.min(left, WRITES_A_TASK);
      const title = `Write ${count}`;
      const spec = { objective: title, budget: { maxActions: count * SPARE } };
      dataOf(await this.owner('POST', '/tasks', { title, spec, ownerAgentProfileKey: 'growth' }));
    }
  }

  /** A connector that no other run uses; undefined while there is none. */
  take(): Connector | undefined {
    return this.free.shift();
  }

  giveBack(connector: Connector): void {
    this.free.push(connector);
  }

  async approve(id: string): Promise<void> {
    dataOf(await this.owner('POST', `/actions/${id}/approve`, {}));
    this.approved.add(id);
  }

  /** Looks at the tools of a connector as they are now, and selects them again. */
  async reselect({ key, accessMode }: Connector): Promise<void> {
    const path = `/integrations/${key}`;
    const { status } = await this.owner('POST', `${path}/discover`, {});
    if (status !== 200) return;
    dataOf(await this.owner('PUT', `${path}/tools`, { accessMode, tools: [TOOL] }));
    this.reselected += 1;
  }

  /** Says what became of an ambiguous action, as somebody does who has looked at the server. */
  async reconcile(id: string, outcome: 'succeeded' | 'not_executed'): Promise<void> {
    dataOf(await this.owner('POST', `/actions/${id}/reconcile`, { outcome, note: 'Looked at what the server did.' }));
  }

  private async connect(n: number): Promise<Connector> {
    const key = `mcp-${n}`;
    const accessMode = n % ASKS_EACH === 0 ? 'ask_before_write' : 'autonomous';
    const endpoint = `${ToolServer.origin}/${n}`;
    dataOf(await this.owner('POST', '/integrations', { name: key, key, endpoint, profileGrants: ['growth'] }));
    const path = `/integrations/${key}`;
    while ((await this.owner('PUT', `${path}/credential`, { kind: 'none' })).status !== 200);
    dataOf(await this.owner('PUT', `${path}/tools`, { accessMode, tools: [TOOL] }));
    return { key, accessMode };
  }

  private owner(method: Request['method'], rest: string, body: object): Promise<Heard> {
    const path = `/organizations/${this.id}${rest}`;
    return this.client.call({ method, path, token: this.token, body, idempotencyKey: randomUUID(), intent: OTHER });
  }
}
