import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { createApp } from '../../src/app.setup.ts';
import { Config, deploymentFromSettings, readSettings } from '../../src/config/index.ts';
import { Capabilities, type ExecutionClaims } from '../../src/kernel/auth/index.ts';
import { JobRunner } from '../../src/kernel/jobs/index.ts';
import { createLogger } from '../../src/kernel/logging/index.ts';
import { Client, Person } from './client.ts';
import { addressOf, freshDatabase, workerDatabase } from './database/test-database.ts';

export const BOOTSTRAP_TOKEN = 'CANARY-bootstrap-kQ3vT8nB5xW2mZ7pL4';
export const SERVICE_TOKEN = 'CANARY-service-hJ6yR1cF9dS0gU5aE3';
export const OTHER_SERVICE_TOKEN = 'CANARY-service-next-oP2iN8bV4kM6wX1z';
const METRICS_TOKEN = 'CANARY-metrics-wQ7xN3vB9kT5mZ1pL8hJ4y';
/** As `CAPABILITY_KEYS` has them: the one that signs, and the one before it. */
export const CAPABILITY_KEY = 'new:CANARYnT4vK9sQ2wR7yB1mX6cZ8dF3gH5jL0pA-uI_o';
/** As `ENCRYPTION_KEYS` has it. */
export const ENCRYPTION_KEY = 'e1:CANARYeQ7rM3kV8xP1tW6zN4bS9hC2fJ5qG0lU_eY-M';
export const OLD_CAPABILITY_KEY = 'old:CANARYoD7rM3kV8xP1tW6zN4bS9hC2fJ5qG0lU_eY-I';

const CREDENTIALS = {
  ownerBootstrapToken: BOOTSTRAP_TOKEN,
  agentServiceTokens: [SERVICE_TOKEN, OTHER_SERVICE_TOKEN],
  capabilityKeys: readSettings({ CAPABILITY_KEYS: `${CAPABILITY_KEY},${OLD_CAPABILITY_KEY}` }).CAPABILITY_KEYS!,
  encryptionKeys: readSettings({ ENCRYPTION_KEYS: ENCRYPTION_KEY }).ENCRYPTION_KEYS!,
};

/** The folder of bytes that belongs to a database: replicas share both. */
export function objectStoreOf(databaseUrl: string): string {
  const database = URL.canParse(databaseUrl) ? new URL(databaseUrl).pathname.slice(1) : 'none';
  return join(process.env.TEST_FOLDER!, 'objects', database);
}

interface Running {
  readonly app: NestFastifyApplication;
  readonly databaseUrl: string;
  readonly db: pg.Pool;
}

export interface TestAppOptions {
  /** The database to work on. */
  readonly databaseUrl?: string;
  /** A migrated database of its own, for what looks across organizations; without both it is the worker's. */
  readonly ownDatabase?: boolean;
  /** Environment on top of the defaults. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The application as production runs it, on a real database, without a port until `listen`. */
export class TestApp {
  /** The administrator. */
  readonly bootstrap = this.client(BOOTSTRAP_TOKEN);
  readonly anonymous = this.client();
  readonly service = this.client(SERVICE_TOKEN);
  readonly scraper = this.client(METRICS_TOKEN);
  private running: Running | undefined;

  static async start(options?: TestAppOptions): Promise<TestApp> {
    const app = new TestApp();
    await app.open(options);
    return app;
  }

  get app(): NestFastifyApplication {
    return this.opened.app;
  }
  get databaseUrl(): string {
    return this.opened.databaseUrl;
  }
  /** The superuser's look at the database, past every rule. */
  get db(): pg.Pool {
    return this.opened.db;
  }

  async open({ databaseUrl, ownDatabase = false, env = {} }: TestAppOptions = {}): Promise<void> {
    const url = databaseUrl ?? (await (ownDatabase ? freshDatabase('migrated') : workerDatabase()));
    const settings = readSettings({
      ...addressOf(url),
      OWNER_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN,
      AGENT_SERVICE_TOKENS: `${SERVICE_TOKEN},${OTHER_SERVICE_TOKEN}`,
      CAPABILITY_KEYS: `${CAPABILITY_KEY},${OLD_CAPABILITY_KEY}`,
      ENCRYPTION_KEYS: ENCRYPTION_KEY,
      METRICS_TOKEN,
      INTEGRATION_APPROVED_ORIGINS: 'https://*.acme.example',
      OBJECT_STORE_DIR: objectStoreOf(url),
      // Jobs run when a test says so.
      ROLE: 'api',
      // Nobody is asked outside unless a test surrounds itself with peers.
      FX_RATES: 'off',
      DATABASE_POOL_SIZE: '30',
      ...env,
    });
    // Without DATABASE_URL it is configured as a trial with the embedded database, which permits local peers.
    const config = new Config(settings, deploymentFromSettings(settings) ?? { url, ...CREDENTIALS });
    const log = join(process.env.TEST_FOLDER!, `${process.pid}.jsonl`);
    const app = await createApp(
      config,
      createLogger('debug', config.tokens, { write: (line) => appendFileSync(log, line) }),
    );
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    this.running = { app, databaseUrl: url, db: new pg.Pool({ connectionString: url, max: 4 }) };
  }

  /** A caller with this token. */
  client(token?: string): Client {
    return new Client(this, token);
  }

  /** A person with a personal token of their own. */
  async person(name = 'somebody'): Promise<Person> {
    const person = new Person(this);
    await person.receiveToken(this.bootstrap, name);
    return person;
  }

  /** A run with a token that was signed for it, whether or not it stands in the database. */
  async execution(claims: Partial<ExecutionClaims> & { readonly organizationId: string }): Promise<Client> {
    const token = this.app.get(Capabilities).issue({
      agentProfileId: randomUUID(),
      profileKey: 'growth',
      profileKind: 'department',
      department: 'growth',
      execution: 'task_run',
      executionId: randomUUID(),
      mode: 'execute',
      generation: 1,
      expiresAt: '9999-12-31T23:59:59.000000Z',
      ...claims,
    });
    return this.client(token);
  }

  /** Runs a cron job now. */
  async runJob(name: string): Promise<void> {
    await this.app.get(JobRunner).run(name);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.db.end();
  }

  private get opened(): Running {
    if (!this.running) throw new Error('The application is not there before the first hook of the tests has run.');
    return this.running;
  }
}
