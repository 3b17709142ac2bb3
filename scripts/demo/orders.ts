import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '../../examples/agent-runtime/src/api.ts';
import { freePort } from '../../src/embedded/index.ts';
import type { Memory } from './memory.ts';
import { isFree } from './receiver.ts';
import { Supervised } from './supervised.ts';

const KEY = 'mcp-orders';
/** Agents that rank customers may write to them; the others may look. */
const GRANTS = ['growth', 'operator', 'chat'];
const ANSWERS_WITHIN_MS = 20_000;

interface Place {
  readonly api: Api;
  readonly organizationId: string;
  readonly signal: AbortSignal;
}

/** The MCP server with the orders of the demo's company, which its organization is connected to. */
export class OrdersServer {
  readonly file: string;
  private readonly folder: string;
  private readonly memory: Memory;
  private readonly port: number;
  private readonly token: string;
  private program: Supervised | undefined;

  private constructor(folder: string, memory: Memory, port: number, token: string) {
    this.folder = folder;
    this.memory = memory;
    this.port = port;
    this.token = token;
    this.file = join(folder, 'orders.csv');
  }

  /** Prepares it where the organization's connector already leads, unless somebody else listens there now. */
  static async prepare(folder: string, memory: Memory): Promise<OrdersServer> {
    const { orders } = memory.known;
    if (orders && (await isFree(orders.port))) return new OrdersServer(folder, memory, orders.port, orders.token);
    return new OrdersServer(folder, memory, await freePort(), randomBytes(16).toString('hex'));
  }

  /** Where the service has to be allowed to go. */
  get origin(): string {
    return `http://localhost:${this.port}`;
  }

  /** Starts it, or starts it again as another edition. */
  async start(edition: '1' | '2', failed: (program: Supervised) => void): Promise<void> {
    await this.program?.stop();
    this.program = new Supervised({
      name: 'orders',
      args: ['../examples/mcp-orders/server.ts'],
      env: { ORDERS_TOKEN: this.token, ORDERS_FILE: this.file, PORT: String(this.port), EDITION: edition },
      logFile: join(this.folder, 'orders.log'),
      onStart: () => undefined,
    });
    failed(this.program);
    const limit = performance.now() + ANSWERS_WITHIN_MS;
    while (!(await fetch(this.origin).catch(() => undefined))) {
      if (performance.now() > limit) throw new Error(`The orders do not answer; see ${this.folder}/orders.log.`);
      await wait(50);
    }
  }

  /** Connects the organization, grants its agents the tools, and says how; nothing where an earlier start did it. */
  async connect({ api, organizationId, signal }: Place): Promise<readonly string[]> {
    const { orders } = this.memory.known;
    if (orders?.port === this.port && orders.isConnected) return [];
    const path = { organizationId, integrationRef: KEY };
    // The one of an earlier start leads to an address where nobody is any more.
    if (orders)
      await api.call('delete', '/organizations/{organizationId}/integrations/{integrationRef}', { path, signal });
    this.memory.learn({ orders: { port: this.port, token: this.token, isConnected: false } });
    await api.call('post', '/organizations/{organizationId}/integrations', {
      path: { organizationId },
      body: { name: 'Orders', key: KEY, endpoint: `${this.origin}/mcp`, purposes: ['orders'], profileGrants: GRANTS },
      signal,
    });
    const { accessMode, tools, reviewRequiredTools } = await api.call(
      'put',
      '/organizations/{organizationId}/integrations/{integrationRef}/credential',
      { path, body: { kind: 'api_key', apiKey: this.token }, signal },
    );
    this.memory.learn({ orders: { port: this.port, token: this.token, isConnected: true } });
    const offered = tools.map(({ name, access }) => {
      return `    ${name}: ${access}${reviewRequiredTools.includes(name) ? ', reviewed in every mode' : ''}`;
    });
    return [`Connected the orders (${KEY}, ${accessMode}) for ${GRANTS.join(', ')}:`, ...offered];
  }

  /** Lets the server describe a tool otherwise, and says what an owner sees of it. */
  async change(
    { api, organizationId, signal }: Place,
    failed: (program: Supervised) => void,
  ): Promise<readonly string[]> {
    const path = { organizationId, integrationRef: KEY };
    const look = () =>
      api.call('post', '/organizations/{organizationId}/integrations/{integrationRef}/discover', { path, signal });
    await this.start('2', failed);
    const { tools } = await look();
    const changed = tools.filter(({ quarantined }) => quarantined);
    await this.start('1', failed);
    const lines = changed.map(
      ({ name, changed: parts }) => `  ${name} is in quarantine: the server changed its ${parts.join(' and ')}.`,
    );
    // Looked at, and taken back: the next round of the demo uses it again.
    await look();
    await api.call('put', '/organizations/{organizationId}/integrations/{integrationRef}/tools', {
      path,
      body: { accessMode: 'ask_before_write', tools: tools.map(({ name }) => name) },
      signal,
    });
    return [
      'Then the server of the orders was updated:',
      ...lines,
      '  Nothing calls it before an owner has named it again.',
    ];
  }

  /** What agents did to the orders, as their file has it. */
  done(): readonly string[] {
    if (!existsSync(this.file)) return [];
    const rows = readFileSync(this.file, 'utf8').matchAll(/^(ORD-\d+),.*?((?:noted|wrote): .*)$/gm);
    return [
      'What agents did to the orders:',
      ...Array.from(rows, ([, id, note]) => `  ${id}: ${note!.replace(/"$/, '')}`),
    ];
  }

  /** Whether a call left its text in the orders. */
  has(text: string): boolean {
    return existsSync(this.file) && readFileSync(this.file, 'utf8').includes(text);
  }

  async stop(): Promise<void> {
    await this.program?.stop();
  }
}
