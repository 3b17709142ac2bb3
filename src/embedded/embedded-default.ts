import { accessSync, constants, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Deployment, readSettings, type Settings } from '../config/index.ts';
import { randomToken } from '../kernel/crypto/index.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded-server.ts';

/** A secret that the embedded default makes if the environment sets none. */
export interface Credential<Value> {
  readonly value: Value;
  /** The variable that may set it. */
  readonly setting: 'OWNER_BOOTSTRAP_TOKEN' | 'AGENT_SERVICE_TOKENS' | 'CAPABILITY_KEYS';
  /** The file that keeps one that was made, with mode 0600. */
  readonly file: string;
  /** `made` by this start, `kept` from an earlier one, or set by the `environment`, which is never written or shown. */
  readonly source: 'made' | 'kept' | 'environment';
  /** Whether the folder keeps another one, which is ignored while the environment sets this. */
  readonly overrules: boolean;
}

/** What runs when the operator sets no database: an embedded PostgreSQL, and credentials for those that are not set. */
export interface EmbeddedDefault {
  readonly deployment: Deployment;
  readonly credentials: {
    readonly owner: Credential<Deployment['ownerBootstrapToken']>;
    readonly service: Credential<Deployment['agentServiceTokens']>;
    readonly capability: Credential<Deployment['capabilityKeys']>;
  };
  readonly stop: () => Promise<void>;
}

export async function startEmbeddedDefault(dataDir: string, settings: Settings): Promise<EmbeddedDefault> {
  makeFolder(dataDir);
  const file = (name: string) => join(dataDir, name);
  const credentials = {
    owner: credential('OWNER_BOOTSTRAP_TOKEN', settings, file('owner-token'), randomToken),
    service: credential('AGENT_SERVICE_TOKENS', settings, file('agent-service-token'), randomToken),
    // In the form of the variable, so that it can be copied into an environment.
    capability: credential(
      'CAPABILITY_KEYS',
      settings,
      file('capability-key'),
      () => `${randomToken().slice(0, 8)}:${randomToken()}`,
    ),
  };
  const server = await startEmbeddedDatabase(dataDir);
  return {
    deployment: {
      url: server.url,
      ownerBootstrapToken: credentials.owner.value,
      agentServiceTokens: credentials.service.value,
      capabilityKeys: credentials.capability.value,
    },
    credentials,
    stop: () => server.stop(),
  };
}

/** Starts the database alone. Reports a folder that it cannot use in one line. */
export async function startEmbeddedDatabase(dataDir: string): Promise<EmbeddedServer> {
  makeFolder(dataDir);
  try {
    return await startEmbeddedServer({ dataDir });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Errors of the file system: a full disk, missing permissions, a read-only mount.
    if (/^E[A-Z]+$/.test(String(code))) throw new ConfigError('DATA_DIR', `cannot be used: ${message}`);
    throw error;
  }
}

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw new ConfigError('DATA_DIR', `${dataDir} is not a writable folder (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Takes the credential of the environment, else that of the folder, else makes one. */
function credential<Name extends Credential<unknown>['setting']>(
  setting: Name,
  settings: Settings,
  file: string,
  make: () => string,
): Credential<NonNullable<Settings[Name]>> {
  const given = settings[setting];
  const kept = readIfThere(file);
  if (given !== undefined) {
    const overrules = kept !== undefined && !isSame(setting, kept, given);
    return { value: given, setting, file, source: 'environment', overrules };
  }
  const text = kept ?? keep(file, make());
  const value = usable(setting, text);
  if (value === undefined)
    throw new ConfigError('DATA_DIR', `${file} holds no usable value; delete it or set ${setting}`);
  return { value, setting, file, source: kept === undefined ? 'made' : 'kept', overrules: false };
}

/** Parses the text of a file by the rules of the variable; undefined if they refuse it. */
function usable<Name extends Credential<unknown>['setting']>(setting: Name, text: string): Settings[Name] | undefined {
  try {
    return readSettings({ [setting]: text })[setting];
  } catch {
    return undefined;
  }
}

function isSame(setting: Credential<unknown>['setting'], kept: string, given: unknown): boolean {
  return JSON.stringify(usable(setting, kept)) === JSON.stringify(given);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ConfigError('DATA_DIR', `${file} cannot be read (${code})`);
  }
}

/**
 * Writes a secret so that the file is complete or absent wherever a start is killed; of several processes that start at
 * once, all use the first one's.
 */
function keep(file: string, secret: string): string {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new ConfigError('DATA_DIR', `cannot be used: ${message}`);
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}
