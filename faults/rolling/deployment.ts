import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/index.ts';
import type { Request } from '../client.ts';
import { History, type Intent } from '../history.ts';
import { CarefulClient, Traffic } from './careful-client.ts';
import { Replica } from './replica.ts';

const REPLICAS = 3;
const DRAIN_SECONDS = '1';
const OTHER: Intent = { op: 'other', name: 'rolling' };

/** Who calls: the owner over the public routes, or a runtime over the internal ones. */
export type Caller = 'owner' | 'runtime';

/** Replicas of the service on one database, and what its clients have to know. */
export class Deployment {
  readonly traffic = new Traffic();
  readonly historyFolder: string;
  restarts = 0;
  /** What is wrong with how replicas end. */
  readonly problems: string[] = [];
  private readonly tokens: Readonly<Record<Caller, string>> = {
    owner: randomBytes(32).toString('base64url'),
    runtime: randomBytes(32).toString('base64url'),
  };
  private readonly clients: CarefulClient[] = [];
  private readonly replicas: Replica[] = [];

  private constructor(folder: string) {
    this.historyFolder = join(folder, 'history');
    mkdirSync(this.historyFolder, { recursive: true });
  }

  /** `folder` gets logs, histories and uploads. */
  static async start(databaseUrl: string, folder: string): Promise<Deployment> {
    const deployment = new Deployment(folder);
    const env = {
      DATABASE_URL: databaseUrl,
      OBJECT_STORE_DIR: join(folder, 'objects'),
      OWNER_BOOTSTRAP_TOKEN: deployment.tokens.owner,
      AGENT_SERVICE_TOKENS: deployment.tokens.runtime,
      CAPABILITY_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
      LOG_LEVEL: 'warn',
      SHUTDOWN_DRAIN_SECONDS: DRAIN_SECONDS,
      DATABASE_POOL_SIZE: '10',
    };
    for (let n = 1; n <= REPLICAS; n += 1)
      deployment.replicas.push(new Replica(await freePort(), env, join(folder, `replica-${n}.log`)));
    try {
      await Promise.all(deployment.replicas.map((replica) => replica.start()));
    } catch (error) {
      await deployment.stop();
      throw error;
    }
    return deployment;
  }

  get bases(): readonly string[] {
    return this.replicas.map(({ baseUrl }) => baseUrl);
  }

  tokenOf(caller: Caller): string {
    return this.tokens[caller];
  }

  /** A client whose calls are written down under this name. */
  client(name: string): CarefulClient {
    const client = new CarefulClient(this.bases, new History(this.historyFolder, name), this.traffic);
    this.clients.push(client);
    return client;
  }

  /** Stops and starts one replica after the other. */
  async restartEach(): Promise<void> {
    for (const replica of this.replicas) {
      const code = await replica.stop();
      if (code !== 0) this.problems.push(`${replica.baseUrl} ended with ${code}`);
      await replica.start();
      this.restarts += 1;
    }
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.close();
    for (const replica of this.replicas) replica.kill();
    await Promise.all(this.replicas.map((replica) => replica.stop()));
  }

  /** The data of an answer, which must be a success. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  async get(client: CarefulClient, caller: Caller, path: string): Promise<any> {
    return dataOf(client, { method: 'GET', path, token: this.tokens[caller], intent: OTHER });
  }

  /** As `get`. An owner's call carries an idempotency key. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  async post(client: CarefulClient, caller: Caller, path: string, body: object): Promise<any> {
    const key = caller === 'owner' ? { idempotencyKey: randomUUID() } : {};
    return dataOf(client, { method: 'POST', path, token: this.tokens[caller], body, ...key, intent: OTHER });
  }
}

async function dataOf(client: CarefulClient, request: Request): Promise<unknown> {
  const { status, body } = await client.call(request);
  if (status < 200 || status > 299) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body.data;
}
