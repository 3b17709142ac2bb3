import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CapabilityKey, ConfigError, type EncryptionKey, isLoopback, readSetting } from './values/index.ts';
import { type Deployment, deploymentFaults, tokenFaults } from './deployment.ts';
import { egressFaults, egressOf, type EgressConfig } from './egress.ts';
import {
  codeHostFaults,
  cloudFaults,
  integrationFaults,
  integrationsOf,
  type IntegrationsConfig,
  workspaceFaults,
} from './integrations.ts';
import { type OidcConfig, oidcFaults, oidcOf } from './oidc.ts';
import { s3Faults, s3Of, type S3Config } from './s3.ts';
import { type SettingName, type Settings, settings } from './settings.ts';
import { type TracingConfig, tracingOf } from './tracing.ts';

/** What database connections need. Never logged, because the URLs hold passwords. */
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

/** Limits of leases and runs. */
export interface RunsConfig {
  readonly leaseSeconds: number;
  readonly claimLeaseSeconds: number;
  readonly startDeadlineSeconds: number;
  readonly maxRunSeconds: number;
}

/** Who may read metrics: the holder of the token, everybody who reaches the port (`open`), otherwise nobody. */
export interface MetricsConfig {
  readonly token: string | undefined;
  readonly open: boolean;
}

/** The validated configuration: every setting of the process. Nothing else reads the environment. */
export class Config {
  readonly database: DatabaseConfig;
  readonly host: string;
  readonly port: number;
  readonly publicBaseUrl: string | undefined;
  readonly trustProxy: boolean | string;
  readonly ownerBootstrapToken: string;
  readonly agentServiceTokens: readonly string[];
  /** The OpenID provider whose tokens are owner tokens too, if there is one. */
  readonly oidc: OidcConfig | undefined;
  /** The first one signs, all verify. */
  readonly capabilityKeys: readonly CapabilityKey[];
  /** The first one encrypts, all decrypt. */
  readonly encryptionKeys: readonly EncryptionKey[];
  /** Absolute. */
  readonly objectStoreDir: string;
  /** If set, bytes are stored there and not in the folder. */
  readonly objectStoreS3: S3Config | undefined;
  readonly egress: EgressConfig;
  readonly integrations: IntegrationsConfig;
  readonly catalogDir: string;
  readonly role: Settings['ROLE'];
  readonly runs: RunsConfig;
  /** Most open event streams: in this process, and per subject. */
  readonly eventStreams: { readonly max: number; readonly perSubject: number };
  readonly activityRetentionMonths: number;
  readonly logRetentionMonths: number;
  readonly corsAllowedOrigins: readonly string[];
  readonly shutdownDrainSeconds: number;
  /** Whether exchange rates are fetched. */
  readonly fxRates: boolean;
  readonly runRetentionMonths: number;
  readonly durabilityRetention: { readonly days: number; readonly versionDays: number };
  readonly outboxRetentionDays: number;
  readonly deliveryRetentionDays: number;
  readonly shutdownTimeoutMs: number;
  readonly chatDecisions: Settings['CHAT_DECISIONS'];
  readonly actionLeaseSeconds: number;
  readonly metrics: MetricsConfig;
  readonly docs: boolean;
  readonly logLevel: Settings['LOG_LEVEL'];
  /** Undefined when the service makes no traces. */
  readonly tracing: TracingConfig | undefined;

  constructor(settings: Settings, deployment: Deployment) {
    this.database = {
      url: deployment.url,
      directUrl: settings.DATABASE_DIRECT_URL ?? deployment.url,
      dispatchUrl: settings.DATABASE_DISPATCH_URL ?? deployment.url,
      prepared: settings.DATABASE_PREPARED,
      poolSize: settings.DATABASE_POOL_SIZE,
      migrateOnStart: settings.MIGRATE_ON_START,
    };
    this.ownerBootstrapToken = deployment.ownerBootstrapToken;
    this.agentServiceTokens = deployment.agentServiceTokens;
    this.oidc = oidcOf(settings);
    this.capabilityKeys = deployment.capabilityKeys;
    this.encryptionKeys = deployment.encryptionKeys;
    this.host = settings.HOST ?? (settings.DATABASE_URL === undefined ? '127.0.0.1' : '0.0.0.0');
    this.port = settings.PORT;
    this.publicBaseUrl = settings.PUBLIC_BASE_URL;
    this.trustProxy = settings.TRUST_PROXY;
    this.objectStoreDir = resolve(settings.OBJECT_STORE_DIR ?? join(settings.DATA_DIR, 'objects'));
    this.objectStoreS3 = s3Of(settings);
    this.egress = egressOf(settings);
    this.integrations = integrationsOf(settings);
    this.catalogDir = resolve(settings.CATALOG_DIR ?? resolve(import.meta.dirname, SHIPPED_CATALOG));
    this.role = settings.ROLE;
    this.runs = {
      leaseSeconds: settings.RUN_LEASE_SECONDS,
      claimLeaseSeconds: settings.RUN_CLAIM_LEASE_SECONDS,
      startDeadlineSeconds: settings.RUN_START_DEADLINE_SECONDS,
      maxRunSeconds: settings.RUN_MAX_SECONDS,
    };
    this.eventStreams = { max: settings.EVENT_STREAMS_MAX, perSubject: settings.EVENT_STREAMS_PER_SUBJECT };
    this.activityRetentionMonths = settings.ACTIVITY_RETENTION_MONTHS;
    this.logRetentionMonths = settings.LOG_RETENTION_MONTHS;
    this.corsAllowedOrigins = settings.CORS_ALLOWED_ORIGINS;
    this.shutdownDrainSeconds = settings.SHUTDOWN_DRAIN_SECONDS ?? (settings.DATABASE_URL === undefined ? 0 : 5);
    this.fxRates = settings.FX_RATES;
    this.runRetentionMonths = settings.RUN_RETENTION_MONTHS;
    this.durabilityRetention = {
      days: settings.DURABILITY_RETENTION_DAYS,
      versionDays: settings.DURABILITY_VERSION_RETENTION_DAYS,
    };
    this.outboxRetentionDays = settings.OUTBOX_RETENTION_DAYS;
    this.deliveryRetentionDays = settings.WEBHOOK_DELIVERY_RETENTION_DAYS;
    this.shutdownTimeoutMs = settings.SHUTDOWN_TIMEOUT_MS;
    this.chatDecisions = settings.CHAT_DECISIONS;
    this.actionLeaseSeconds = settings.ACTION_LEASE_SECONDS;
    this.metrics = {
      token: settings.METRICS_TOKEN,
      open: settings.METRICS_TOKEN === undefined && settings.DATABASE_URL === undefined && isLoopback(this.host),
    };
    this.docs = settings.DOCS;
    this.logLevel = settings.LOG_LEVEL;
    this.tracing = tracingOf(settings);
  }

  /** The deployment's own tokens, which no log may show. */
  get tokens(): readonly string[] {
    const { token } = this.metrics;
    return [this.ownerBootstrapToken, ...this.agentServiceTokens, ...(token === undefined ? [] : [token])];
  }
}

/** Relative to `src/config`, or to `dist/src/config` after the build. */
const SHIPPED_CATALOG = import.meta.filename.endsWith('.js') ? '../../../catalog' : '../../catalog';

/** Reads and checks every variable; throws a `ConfigError` that names all that are wrong. */
export function readSettings(env: Env): Settings {
  const { settings: read, faults } = examineSettings(env);
  if (faults.length > 0) throw ConfigError.of(faults);
  return read;
}

/** Reads and checks every variable; an invalid one is a fault, and its setting has the default. */
export function examineSettings(env: Env): { readonly settings: Settings; readonly faults: readonly ConfigError[] } {
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const faults: ConfigError[] = [];
  const values = (Object.keys(settings) as SettingName[]).map((name) => {
    try {
      return [name, readSetting<unknown>(name, settings[name], env, readFile)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error);
      return [name, settings[name].parse(undefined)];
    }
  });
  const whole = Object.fromEntries(values) as Settings;
  // What is invalid is not missing too, and leaves open what others of its family need.
  const isSound = (family: string) => !faults.some(({ setting }) => setting.startsWith(family));
  const ofSound = RULES.filter(({ family }) => isSound(family)).flatMap(({ faultsOf }) => faultsOf(whole));
  faults.push(...ofSound.filter(({ setting }) => isSound(setting)));
  return { settings: whole, faults };
}

/** What variables of a family need of each other. */
const RULES = [
  { family: 'OBJECT_STORE_', faultsOf: s3Faults },
  { family: 'EGRESS_', faultsOf: egressFaults },
  { family: 'OIDC_', faultsOf: oidcFaults },
  { family: 'WORKSPACE_OAUTH_', faultsOf: workspaceFaults },
  { family: 'CODE_HOST_', faultsOf: codeHostFaults },
  { family: 'CLOUD_ACCOUNT_', faultsOf: cloudFaults },
  { family: 'INTEGRATION_', faultsOf: integrationFaults },
  { family: 'DATABASE_URL', faultsOf: deploymentFaults },
  { family: 'OWNER_BOOTSTRAP_TOKEN', faultsOf: tokenFaults },
] as const;

type Env = Readonly<Record<string, string | undefined>>;
