import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, readSetting } from './setting.ts';
import { type SettingName, type Settings, settings } from './settings.ts';

/** What a database connection needs; passwords are inside the addresses, so this is never logged. */
export interface DatabaseConfig {
  /** Application role, possibly through a pooler. */
  readonly url: string;
  /** Owner role, never through a pooler. */
  readonly directUrl: string;
  readonly dispatchUrl: string;
  readonly prepared: boolean;
  readonly poolSize: number;
  readonly migrateOnStart: boolean;
}

/** The validated configuration. Everything that the process can be told stands here; nothing else reads the environment. */
export class Config {
  readonly database: DatabaseConfig;
  readonly embedded: boolean;
  readonly host: string;
  readonly port: number;
  readonly publicBaseUrl: string | undefined;
  readonly trustProxy: boolean | string;
  readonly ownerBootstrapToken: string;
  readonly agentServiceTokens: readonly string[];
  readonly catalogDir: string;
  readonly role: Settings['ROLE'];
  readonly activityRetentionMonths: number;
  readonly shutdownTimeoutMs: number;
  readonly docs: boolean;
  readonly logLevel: Settings['LOG_LEVEL'];

  constructor(read: Settings, database: DatabaseSource) {
    this.embedded = read.DATABASE_URL === undefined;
    this.database = {
      url: database.url,
      directUrl: read.DATABASE_DIRECT_URL ?? database.url,
      dispatchUrl: read.DATABASE_DISPATCH_URL ?? database.url,
      prepared: read.DATABASE_PREPARED,
      poolSize: read.DATABASE_POOL_SIZE,
      migrateOnStart: read.MIGRATE_ON_START,
    };
    this.ownerBootstrapToken = database.ownerBootstrapToken;
    this.agentServiceTokens = database.agentServiceTokens;
    this.host = read.HOST ?? (this.embedded ? '127.0.0.1' : '0.0.0.0');
    this.port = read.PORT;
    this.publicBaseUrl = read.PUBLIC_BASE_URL;
    this.trustProxy = read.TRUST_PROXY;
    this.catalogDir = resolve(read.CATALOG_DIR ?? resolve(import.meta.dirname, SHIPPED_CATALOG));
    this.role = read.ROLE;
    this.activityRetentionMonths = read.ACTIVITY_RETENTION_MONTHS;
    this.shutdownTimeoutMs = read.SHUTDOWN_TIMEOUT_MS;
    this.docs = read.DOCS;
    this.logLevel = read.LOG_LEVEL;
  }
}

/** Where data and first credentials come from: the environment, or the embedded server's folder. */
export interface DatabaseSource {
  readonly url: string;
  readonly ownerBootstrapToken: string;
  readonly agentServiceTokens: readonly string[];
}

/** The repository's root as seen from `src/config` and from `dist/src/config`. */
const SHIPPED_CATALOG = import.meta.dirname.includes('/dist/src/') ? '../../../catalog' : '../../catalog';

/** Reads and checks every variable; throws `ConfigError` at the first that is bad. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const read = (path: string) => readFileSync(path, 'utf8');
  const names = Object.keys(settings) as SettingName[];
  return Object.fromEntries(
    names.map((name) => [name, readSetting<unknown>(name, settings[name], env, read)]),
  ) as Settings;
}

/** The source that the environment names, or undefined when it leaves the database to the embedded server. */
export function databaseFromSettings(read: Settings): DatabaseSource | undefined {
  if (read.DATABASE_URL === undefined) {
    for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_DISPATCH_URL'] as const)
      if (read[name] !== undefined) throw new ConfigError(name, 'needs DATABASE_URL beside it');
    return undefined;
  }
  // A replica that made up its own credentials would refuse what the others accept.
  return {
    url: read.DATABASE_URL,
    ownerBootstrapToken: read.OWNER_BOOTSTRAP_TOKEN ?? missing('OWNER_BOOTSTRAP_TOKEN'),
    agentServiceTokens: read.AGENT_SERVICE_TOKENS ?? missing('AGENT_SERVICE_TOKENS'),
  };
}

function missing(name: SettingName): never {
  throw new ConfigError(name, 'is required when DATABASE_URL is set');
}
