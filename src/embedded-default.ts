import { accessSync, constants, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CapabilityKey, ConfigError, type Deployment, readSettings } from './config/index.ts';
import { randomToken } from './kernel/crypto/index.ts';
import { startEmbeddedServer } from './kernel/database/embedded/embedded-server.ts';

/** What runs when the operator names no database: a PostgreSQL of our own, and credentials made at its first start. */
export interface EmbeddedDefault {
  readonly deployment: Deployment;
  readonly credentials: {
    readonly ownerToken: string;
    readonly serviceToken: string;
    /** Each of mode 0600. */
    readonly files: { readonly owner: string; readonly service: string };
    /** Whether this start made one of them. */
    readonly fresh: boolean;
  };
  stop(): Promise<void>;
}

export async function startEmbeddedDefault(dataDir: string): Promise<EmbeddedDefault> {
  makeFolder(dataDir);
  const files = { owner: join(dataDir, 'owner-token'), service: join(dataDir, 'agent-service-token') };
  const fresh = !existsSync(files.owner) || !existsSync(files.service);
  const credentials = {
    ownerToken: keep(files.owner, randomToken()),
    serviceToken: keep(files.service, randomToken()),
    files,
    fresh,
  };
  const capabilityKeys = keepCapabilityKey(join(dataDir, 'capability-key'));
  const server = await startEmbeddedServer({ dataDir });
  return {
    deployment: {
      url: server.url,
      ownerBootstrapToken: credentials.ownerToken,
      agentServiceTokens: [credentials.serviceToken],
      capabilityKeys,
    },
    credentials,
    stop: () => server.stop(),
  };
}

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw new ConfigError('DATA_DIR', `${dataDir} is no folder to write to (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Complete or absent, wherever a start is killed; of several processes that start at once all take the first one's. */
function keep(file: string, secret: string): string {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}

/** In the form of `CAPABILITY_KEYS`, so that it can move into an environment; nobody needs to see it. */
function keepCapabilityKey(file: string): readonly CapabilityKey[] {
  const text = keep(file, `${randomToken().slice(0, 8)}:${randomToken()}`);
  try {
    const { CAPABILITY_KEYS } = readSettings({ CAPABILITY_KEYS: text });
    if (CAPABILITY_KEYS) return CAPABILITY_KEYS;
    throw new ConfigError('CAPABILITY_KEYS', 'is empty');
  } catch {
    throw new ConfigError('DATA_DIR', `${file} holds no usable key; delete it and a new one is made`);
  }
}
