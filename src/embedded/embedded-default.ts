import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError, type Deployment, readSettings, type Settings } from '../config/index.ts';
import { randomToken } from '../kernel/crypto/index.ts';
import { openDataFolder, superuserPassword } from './data-folder.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded-server.ts';
import { serverPrograms } from './server-programs.ts';

/** A secret that the embedded default makes if the environment sets none. */
export interface Credential<Value> {
  readonly value: Value;
  /** The variable that may set it. */
  readonly setting: 'OWNER_BOOTSTRAP_TOKEN' | 'AGENT_SERVICE_TOKENS' | 'CAPABILITY_KEYS' | 'ENCRYPTION_KEYS';
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
    readonly encryption: Credential<Deployment['encryptionKeys']>;
  };
  readonly stop: () => Promise<void>;
}

/** The variable that may set each credential, and the file in the data folder that keeps one that was made. */
const CREDENTIALS = {
  owner: { setting: 'OWNER_BOOTSTRAP_TOKEN', name: 'owner-token' },
  service: { setting: 'AGENT_SERVICE_TOKENS', name: 'agent-service-token' },
  capability: { setting: 'CAPABILITY_KEYS', name: 'capability-key' },
  encryption: { setting: 'ENCRYPTION_KEYS', name: 'encryption-key' },
} as const;

export async function startEmbeddedDefault(dataDir: string, settings: Settings): Promise<EmbeddedDefault> {
  makeFolder(dataDir);
  const { owner, service, capability, encryption } = CREDENTIALS;
  const credentials = {
    owner: credential(owner, settings, dataDir, randomToken),
    service: credential(service, settings, dataDir, randomToken),
    // In the form of the variable, so that they can be copied into an environment.
    capability: credential(capability, settings, dataDir, namedKey),
    encryption: credential(encryption, settings, dataDir, namedKey),
  };
  const server = await startEmbeddedDatabase(dataDir);
  return {
    deployment: {
      url: server.url,
      ownerBootstrapToken: credentials.owner.value,
      agentServiceTokens: credentials.service.value,
      capabilityKeys: credentials.capability.value,
      encryptionKeys: credentials.encryption.value,
    },
    credentials,
    stop: () => server.stop(),
  };
}

function namedKey(): string {
  return `${randomToken().slice(0, 8)}:${randomToken()}`;
}

/**
 * Looks at the data folder and changes nothing: throws what a start would refuse, and returns whether there is a
 * database already.
 */
export async function examineEmbeddedDefault(dataDir: string, settings: Settings): Promise<boolean> {
  await serverPrograms();
  if (!existsSync(dataDir)) {
    let parent = dirname(dataDir);
    while (!existsSync(parent)) parent = dirname(parent);
    requireWritable(parent);
    return false;
  }
  requireWritable(dataDir);
  for (const { setting, name } of Object.values(CREDENTIALS))
    if (settings[setting] === undefined) kept(setting, join(dataDir, name));
  const folder = openDataFolder(dataDir);
  const hasCluster = existsSync(folder.cluster);
  if (hasCluster) superuserPassword(folder);
  return hasCluster;
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
  } catch (error) {
    throw notWritable(dataDir, error);
  }
  requireWritable(dataDir);
}

function requireWritable(folder: string): void {
  try {
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw notWritable(folder, error);
  }
}

function notWritable(folder: string, error: unknown): ConfigError {
  return new ConfigError('DATA_DIR', `${folder} is not a writable folder (${(error as NodeJS.ErrnoException).code})`);
}

/** Takes the credential of the environment, else that of the folder, else makes one. */
function credential<Name extends Credential<unknown>['setting']>(
  { setting, name }: { readonly setting: Name; readonly name: string },
  settings: Settings,
  dataDir: string,
  make: () => string,
): Credential<NonNullable<Settings[Name]>> {
  const file = join(dataDir, name);
  const given = settings[setting];
  if (given !== undefined) {
    const text = readIfThere(file);
    const overrules = text !== undefined && !isSame(setting, text, given);
    return { value: given, setting, file, source: 'environment', overrules };
  }
  const before = kept(setting, file);
  if (before !== undefined) return { value: before, setting, file, source: 'kept', overrules: false };
  keep(file, make());
  return { value: kept(setting, file)!, setting, file, source: 'made', overrules: false };
}

/** The credential that a file holds; undefined without the file. */
function kept<Name extends Credential<unknown>['setting']>(
  setting: Name,
  file: string,
): NonNullable<Settings[Name]> | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const value = usable(setting, text);
  if (value === undefined)
    throw new ConfigError('DATA_DIR', `${file} holds no usable value; delete it or set ${setting}`);
  return value;
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
function keep(file: string, secret: string): void {
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
}
