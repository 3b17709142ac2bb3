import { capabilityKeys } from './capability-keys.ts';
import {
  accessKey,
  bucketName,
  httpUrl,
  integer,
  keyPrefix,
  onOff,
  oneOf,
  origins,
  postgresUrl,
  proxies,
  regionName,
  secret,
  secrets,
} from './parsers.ts';
import type { Setting } from './setting.ts';

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

/** Every environment variable that the service reads; the table in docs/configuration.md is made from this one. */
export const settings = {
  DATABASE_URL: setting({
    description: 'PostgreSQL 17 or newer, as the application role; a transaction pooler is allowed',
    fallback: 'an embedded PostgreSQL in `DATA_DIR`, for trying the service and for tests',
    secret: true,
    parse: postgresUrl,
  }),
  DATABASE_DIRECT_URL: setting({
    description: 'the same database as its owner, without a pooler: migrations, notifications, partitions, purge',
    fallback: '`DATABASE_URL`',
    secret: true,
    parse: postgresUrl,
  }),
  DATABASE_DISPATCH_URL: setting({
    description: 'the same database as a login of the cross-organization role `br_dispatch`',
    fallback: '`DATABASE_URL`',
    secret: true,
    parse: postgresUrl,
  }),
  DATABASE_PREPARED: setting({
    description: 'named statements; `off` behind a pooler that cannot take them (PgBouncer before 1.21)',
    fallback: '`on`',
    parse: onOff(true),
  }),
  DATABASE_POOL_SIZE: setting({
    description:
      'connections per process for the API and its jobs, 2 to 200; of 20, 7 are kept for leases, claims, turns and identities, 3 for jobs (below 6, jobs go with the rest), and of the other 10 an organization holds at most a third. Beside them a process opens one for probes of health and up to 5 by `DATABASE_DIRECT_URL`; with `DATABASE_DISPATCH_URL` up to as many again',
    fallback: '`20`',
    parse: integer(20, 2, 200),
  }),
  MIGRATE_ON_START: setting({
    description: '`off` when migrations are run by `npm run migrate` instead',
    fallback: '`on`',
    parse: onOff(true),
  }),
  DATA_DIR: setting({
    description: 'folder of the embedded database, and of the tokens and keys that were made because none were set',
    fallback: '`.data`',
    parse: (text) => text ?? '.data',
  }),
  OBJECT_STORE_DIR: setting({
    description: 'folder of stored bytes, the same one for all replicas; made where it is missing',
    fallback: '`objects` in `DATA_DIR`',
    parse: (text) => text,
  }),
  OBJECT_STORE_S3_BUCKET: setting({
    description: 'bucket of an S3-compatible store that keeps the bytes instead of a folder; it must exist',
    fallback: 'bytes are kept in `OBJECT_STORE_DIR`',
    parse: bucketName,
  }),
  OBJECT_STORE_S3_ENDPOINT: setting({
    description: 'http(s) address of the store',
    fallback: 'AWS',
    parse: httpUrl,
  }),
  OBJECT_STORE_S3_REGION: setting({
    description: 'region that the bucket is in',
    fallback: '`us-east-1` with `OBJECT_STORE_S3_ENDPOINT`; required with AWS',
    parse: regionName,
  }),
  OBJECT_STORE_S3_ACCESS_KEY_ID: setting({
    description: 'access key to the bucket',
    fallback:
      'what the AWS SDK finds on the machine: its own variables, a web identity, the role of a container or instance',
    secret: true,
    parse: accessKey,
  }),
  OBJECT_STORE_S3_SECRET_ACCESS_KEY: setting({
    description: 'the secret that belongs to the access key',
    fallback: 'as the access key; the two come together',
    secret: true,
    parse: accessKey,
  }),
  OBJECT_STORE_S3_PREFIX: setting({
    description: 'what the keys of all objects begin with, where the bucket holds other things too',
    fallback: 'nothing',
    parse: keyPrefix,
  }),
  OBJECT_STORE_S3_PATH_STYLE: setting({
    description: '`on` names the bucket in the path of requests, `off` in the host',
    fallback: '`on` with `OBJECT_STORE_S3_ENDPOINT`, else `off`',
    parse: (text) => (text === undefined ? undefined : onOff(false)(text)),
  }),
  PORT: setting({
    description: 'port to listen on; `0` takes a free one',
    fallback: '`3000`',
    parse: integer(3000, 0, 65_535),
  }),
  HOST: setting({
    description: 'address to listen on',
    fallback: '`127.0.0.1` with the embedded database, else `0.0.0.0`',
    parse: (text) => text,
  }),
  PUBLIC_BASE_URL: setting({
    description: 'how clients reach the service, shown in the log and the documents',
    fallback: 'the address that it listens on; in the documents `/`',
    parse: httpUrl,
  }),
  TRUST_PROXY: setting({
    description:
      "`on`, or a comma-separated list of proxy addresses, whose `X-Forwarded-For` names the caller; limits on failed attempts count by the caller's address",
    fallback: '`off`',
    parse: proxies,
  }),
  OWNER_BOOTSTRAP_TOKEN: setting({
    description: 'the administrator’s owner token, at least 32 characters',
    fallback: 'made at first start with the embedded database, kept in `DATA_DIR`; required with `DATABASE_URL`',
    secret: true,
    parse: secret,
  }),
  AGENT_SERVICE_TOKENS: setting({
    description:
      'tokens of agent runtimes, comma-separated so that two overlap during a rotation, each at least 32 characters',
    fallback: 'made at first start with the embedded database, kept in `DATA_DIR`; required with `DATABASE_URL`',
    secret: true,
    parse: secrets,
  }),
  CAPABILITY_KEYS: setting({
    description:
      'keys that sign the tokens of runs and chat turns, comma-separated `<kid>:<base64url of 32 random bytes>`; the first signs, all verify, so that two overlap during a rotation',
    fallback: 'made at first start with the embedded database, kept in `DATA_DIR`; required with `DATABASE_URL`',
    secret: true,
    parse: capabilityKeys,
  }),
  CATALOG_DIR: setting({
    description: 'folder of the agent profile catalog: `catalog.json` and `instructions/<key>.md`',
    fallback: 'the catalog that ships with the service',
    parse: (text) => text,
  }),
  ROLE: setting({
    description: '`api` runs no cron jobs, `worker` and `all` do; each answers HTTP',
    fallback: '`all`',
    parse: oneOf(['all', 'api', 'worker'], 'all'),
  }),
  RUN_LEASE_SECONDS: setting({
    description: 'how long a run lives without a heartbeat, 3 to 3600 s; workers are told to beat three times as often',
    fallback: '`60`',
    parse: integer(60, 3, 3_600),
  }),
  RUN_CLAIM_LEASE_SECONDS: setting({
    description: 'how long a worker may hold claimed work without starting it, 1 to 600 s',
    fallback: '`30`',
    parse: integer(30, 1, 600),
  }),
  RUN_START_DEADLINE_SECONDS: setting({
    description: 'how long after its start a run must say that it is running, 5 to 3600 s',
    fallback: '`120`',
    parse: integer(120, 5, 3_600),
  }),
  RUN_MAX_SECONDS: setting({
    description: 'how long a run may take in all, 60 to 604800 s',
    fallback: '`14400`',
    parse: integer(14_400, 60, 604_800),
  }),
  EVENT_STREAMS_MAX: setting({
    description: 'event streams open at once in one process, 1 to 100000; the next one is answered 503',
    fallback: '`1000`',
    parse: integer(1_000, 1, 100_000),
  }),
  EVENT_STREAMS_PER_SUBJECT: setting({
    description: 'how many of them one subject may have, 1 to 100000',
    fallback: '`20`',
    parse: integer(20, 1, 100_000),
  }),
  ACTIVITY_RETENTION_MONTHS: setting({
    description: 'how long the activity log is kept, 1 to 120 months',
    fallback: '`13`',
    parse: integer(13, 1, 120),
  }),
  LOG_RETENTION_MONTHS: setting({
    description: 'how long the logs of runs are kept, counted from the run’s creation, 1 to 120 months',
    fallback: '`3`',
    parse: integer(3, 1, 120),
  }),
  RUN_RETENTION_MONTHS: setting({
    description:
      'how long ended runs and run requests are kept, with the artifacts of the runs, and the occurrences of schedules, 1 to 120 months; what a task that has not ended needs stays',
    fallback: '`13`',
    parse: integer(13, 1, 120),
  }),
  DURABILITY_RETENTION_DAYS: setting({
    description: 'how long expired durability rows are kept, 1 to 365 days',
    fallback: '`1`',
    parse: integer(1, 1, 365),
  }),
  DURABILITY_VERSION_RETENTION_DAYS: setting({
    description:
      'how long the version of a deleted or expired durability key is remembered, so that an old one never fits a new row, 1 to 365 days',
    fallback: '`30`',
    parse: integer(30, 1, 365),
  }),
  CORS_ALLOWED_ORIGINS: setting({
    description:
      'exact origins, comma-separated, whose pages may call owner routes from a browser, with a token in the header and never with cookies',
    fallback: 'none',
    parse: origins,
  }),
  SHUTDOWN_DRAIN_SECONDS: setting({
    description:
      'how long after SIGTERM the port still answers while `/health/ready` says 503, so that balancers notice, 0 to 300 s',
    fallback: '`5`; `0` with the embedded database',
    parse: (text) => (text === undefined ? undefined : integer(0, 0, 300)(text)),
  }),
  SHUTDOWN_TIMEOUT_MS: setting({
    description:
      'how long SIGTERM then waits for requests in flight, 100 to 600000 ms; what takes longer is answered 503. The container’s stop grace must exceed both together by two seconds',
    fallback: '`8000`',
    parse: integer(8_000, 100, 600_000),
  }),
  DOCS: setting({
    description: '`off` hides `/docs` and `/docs-json`',
    fallback: '`on`',
    parse: onOff(true),
  }),
  LOG_LEVEL: setting({
    description: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    fallback: '`info`',
    parse: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  }),
};

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]['parse']> };
