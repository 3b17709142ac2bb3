import {
  accessKey,
  approvedOrigins,
  audiences,
  bucketName,
  capabilityKeys,
  collectorUrl,
  encryptionKeys,
  forwardProxy,
  headerList,
  hostSuffixes,
  httpUrl,
  integer,
  issuerUrl,
  keyPrefix,
  mcpClients,
  oneOf,
  onOff,
  origins,
  postgresUrl,
  proxies,
  ratio,
  regionName,
  returnAddress,
  rsaPrivateKey,
  secret,
  secrets,
  type Setting,
} from './values/index.ts';

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

/** As OpenTelemetry names them. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Every environment variable that the service reads; the table in docs/configuration.md is generated from it. */
export const settings = {
  DATABASE_URL: setting({
    description: 'PostgreSQL 17 or newer, as the application role; may go through a transaction pooler',
    fallback: 'an embedded PostgreSQL in `DATA_DIR`, only for trials and tests',
    secret: true,
    parse: postgresUrl,
  }),
  DATABASE_DIRECT_URL: setting({
    description:
      'the same database as its owner, without a pooler; used for migrations, notifications, partitions and purges',
    fallback: '`DATABASE_URL`',
    secret: true,
    parse: postgresUrl,
  }),
  DATABASE_DISPATCH_URL: setting({
    description: 'the same database as a login with the cross-organization role `br_dispatch`',
    fallback: '`DATABASE_URL`',
    secret: true,
    parse: postgresUrl,
  }),
  DATABASE_PREPARED: setting({
    description:
      'whether to use named prepared statements; set `off` behind a pooler that does not support them (PgBouncer before 1.21)',
    fallback: '`on`',
    parse: onOff(true),
  }),
  DATABASE_POOL_SIZE: setting({
    description:
      'connections per process for the API and its jobs, 2 to 200. Of 20, 7 are reserved for leases, claims, turns and identities, and 3 for jobs (below 6, jobs share the rest); of the other 10, one organization uses at most a third. A process also opens one connection for health checks and up to 5 with `DATABASE_DIRECT_URL`; with `DATABASE_DISPATCH_URL` up to as many again',
    fallback: '`20`',
    parse: integer(20, 2, 200),
  }),
  MIGRATE_ON_START: setting({
    description: 'whether to apply missing migrations at start; set `off` to run them with `npm run migrate` instead',
    fallback: '`on`',
    parse: onOff(true),
  }),
  DATA_DIR: setting({
    description:
      'folder of the embedded database, and of the tokens and keys that the service makes where none are set',
    fallback: '`.data`',
    parse: (text) => text ?? '.data',
  }),
  OBJECT_STORE_DIR: setting({
    description: 'folder of stored bytes, shared by all replicas; created if missing',
    fallback: '`objects` in `DATA_DIR`',
    parse: (text) => text,
  }),
  OBJECT_STORE_S3_BUCKET: setting({
    description: 'bucket of an S3-compatible store, to store bytes there instead of in a folder; must exist',
    fallback: 'bytes are stored in `OBJECT_STORE_DIR`',
    parse: bucketName,
  }),
  OBJECT_STORE_S3_ENDPOINT: setting({
    description: 'http(s) URL of the store',
    fallback: 'AWS',
    parse: httpUrl,
  }),
  OBJECT_STORE_S3_REGION: setting({
    description: 'region of the bucket',
    fallback: '`us-east-1` with `OBJECT_STORE_S3_ENDPOINT`; required with AWS',
    parse: regionName,
  }),
  OBJECT_STORE_S3_ACCESS_KEY_ID: setting({
    description: 'access key to the bucket',
    fallback:
      'what the AWS SDK finds on the machine: its environment variables, a web identity, or the role of a container or instance',
    secret: true,
    parse: accessKey,
  }),
  OBJECT_STORE_S3_SECRET_ACCESS_KEY: setting({
    description: 'secret of the access key',
    fallback: 'as for the access key; set both or neither',
    secret: true,
    parse: accessKey,
  }),
  OBJECT_STORE_S3_PREFIX: setting({
    description: 'prefix of the keys of all objects, for a bucket that also holds other data',
    fallback: 'nothing',
    parse: keyPrefix,
  }),
  OBJECT_STORE_S3_PATH_STYLE: setting({
    description: 'where requests name the bucket: `on` in the path, `off` in the host',
    fallback: '`on` with `OBJECT_STORE_S3_ENDPOINT`, otherwise `off`',
    parse: (text) => (text === undefined ? undefined : onOff(false)(text)),
  }),
  PORT: setting({
    description: 'port to listen on; `0` takes a free one',
    fallback: '`3000`',
    parse: integer(3000, 0, 65_535),
  }),
  HOST: setting({
    description: 'address to listen on',
    fallback: '`127.0.0.1` with the embedded database, otherwise `0.0.0.0`',
    parse: (text) => text,
  }),
  PUBLIC_BASE_URL: setting({
    description:
      'URL at which clients and browsers reach the service, shown in the log and the OpenAPI document; the addresses to which authorization servers send browsers back lie below it, so connectors that are authorized need it, with https (or http on a loopback address)',
    fallback: 'the address that it listens on; `/` in the OpenAPI document; no OAuth',
    file: true,
    parse: httpUrl,
  }),
  TRUST_PROXY: setting({
    description:
      "which proxies' `X-Forwarded-For` names the caller: `on` (all), `off`, or a comma-separated list of addresses; failed attempts are limited per caller's address",
    fallback: '`off`',
    parse: proxies,
  }),
  OWNER_BOOTSTRAP_TOKEN: setting({
    description: 'the administrator’s owner token, at least 32 characters',
    fallback:
      'with the embedded database, generated at first start and kept in `DATA_DIR`; required with `DATABASE_URL`',
    secret: true,
    parse: secret,
  }),
  OIDC_ISSUER: setting({
    description:
      'https address of an OpenID provider, exactly as its tokens have it in `iss`; its signed tokens (JWT) are then owner tokens. See [single sign-on](operations/single-sign-on.md)',
    fallback: 'owners have only personal tokens',
    parse: issuerUrl,
  }),
  OIDC_AUDIENCE: setting({
    description: 'what these tokens have in `aud`: one or several values, comma-separated, of which one must match',
    fallback: 'required with `OIDC_ISSUER`',
    parse: audiences,
  }),
  AGENT_SERVICE_TOKENS: setting({
    description:
      'tokens of agent runtimes, each at least 32 characters, comma-separated so that two overlap during a rotation',
    fallback:
      'with the embedded database, generated at first start and kept in `DATA_DIR`; required with `DATABASE_URL`',
    secret: true,
    parse: secrets,
  }),
  CAPABILITY_KEYS: setting({
    description:
      'keys for the tokens of runs and chat turns, comma-separated `<kid>:<base64url of 32 random bytes>`; the first signs and all verify, so that two overlap during a rotation',
    fallback:
      'with the embedded database, generated at first start and kept in `DATA_DIR`; required with `DATABASE_URL`',
    secret: true,
    parse: capabilityKeys,
  }),
  ENCRYPTION_KEYS: setting({
    description:
      'keys that encrypt the secrets in the database, comma-separated `<id>:<base64url of 32 random bytes>`; the first encrypts and all decrypt. What an absent key encrypted cannot be read, and the start refuses. See [secrets](operations/secrets.md#encryption_keys)',
    fallback:
      'with the embedded database, generated at first start and kept in `DATA_DIR`; required with `DATABASE_URL`',
    secret: true,
    parse: encryptionKeys,
  }),
  CATALOG_DIR: setting({
    description: 'folder of the agent profile catalog: `catalog.json` and `instructions/<key>.md`',
    fallback: 'the catalog that ships with the service',
    parse: (text) => text,
  }),
  ROLE: setting({
    description: 'what the process does: `api` answers HTTP only, `worker` and `all` also run cron jobs',
    fallback: '`all`',
    parse: oneOf(['all', 'api', 'worker'], 'all'),
  }),
  RUN_LEASE_SECONDS: setting({
    description:
      'how long a run lives without a heartbeat, 3 to 3600 s; workers are told to send one every third of it',
    fallback: '`60`',
    parse: integer(60, 3, 3_600),
  }),
  RUN_CLAIM_LEASE_SECONDS: setting({
    description: 'how long a worker may hold claimed work before it starts it, 1 to 600 s',
    fallback: '`30`',
    parse: integer(30, 1, 600),
  }),
  RUN_START_DEADLINE_SECONDS: setting({
    description: 'how long after its start a run must be reported as running, 5 to 3600 s',
    fallback: '`120`',
    parse: integer(120, 5, 3_600),
  }),
  RUN_MAX_SECONDS: setting({
    description: 'how long a run may take in total, 60 to 604800 s',
    fallback: '`14400`',
    parse: integer(14_400, 60, 604_800),
  }),
  EVENT_STREAMS_MAX: setting({
    description: 'most event streams open at once in one process, 1 to 100000; further ones are answered 503',
    fallback: '`1000`',
    parse: integer(1_000, 1, 100_000),
  }),
  EVENT_STREAMS_PER_SUBJECT: setting({
    description: 'most event streams of one subject open at once in one process, 1 to 100000',
    fallback: '`20`',
    parse: integer(20, 1, 100_000),
  }),
  ACTIVITY_RETENTION_MONTHS: setting({
    description: 'how long the activity log is kept, 1 to 120 months',
    fallback: '`13`',
    parse: integer(13, 1, 120),
  }),
  LOG_RETENTION_MONTHS: setting({
    description: 'how long the logs of runs are kept, from the creation of the run, 1 to 120 months',
    fallback: '`3`',
    parse: integer(3, 1, 120),
  }),
  FX_RATES: setting({
    description:
      'whether exchange rates are fetched from the European Central Bank, by which amounts are also told in other currencies',
    fallback: '`on`',
    parse: onOff(true),
  }),
  RUN_RETENTION_MONTHS: setting({
    description:
      'how long ended runs with their artifacts, run requests, and occurrences of schedules are kept, 1 to 120 months; what an unfinished task needs is kept longer',
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
      'how long the version of a deleted or expired durability key is remembered, so that an old version never matches a new row, 1 to 365 days',
    fallback: '`30`',
    parse: integer(30, 1, 365),
  }),
  OUTBOX_RETENTION_DAYS: setting({
    description: 'how long events are kept that this release has no use for, 1 to 365 days',
    fallback: '`7`',
    parse: integer(7, 1, 365),
  }),
  WEBHOOK_DELIVERY_RETENTION_DAYS: setting({
    description: 'how long deliveries of webhooks are listed and can be sent again, 4 to 365 days',
    fallback: '`30`',
    parse: integer(30, 4, 365),
  }),
  CORS_ALLOWED_ORIGINS: setting({
    description:
      'exact origins, comma-separated, whose pages may call owner routes from a browser, with a token in the header, never with cookies',
    fallback: 'none',
    parse: origins,
  }),
  EGRESS_PROXY: setting({
    description:
      'http(s) URL of a forward proxy, with credentials if it needs them, through which the service reaches public addresses; it is asked to connect to the checked address (`CONNECT`). Proxies of `HTTP_PROXY` and the like are ignored',
    fallback: 'direct connections',
    secret: true,
    parse: forwardProxy,
  }),
  EGRESS_LOCAL_PEERS: setting({
    description:
      'exact origins, comma-separated, that the service may reach although they are local, such as `https://localhost:8443`; only with the embedded database, where `http:` is allowed too',
    fallback: 'none',
    parse: origins,
  }),
  EGRESS_LOCAL_CA_FILE: setting({
    description: 'PEM file of the authority that signed the certificates of `EGRESS_LOCAL_PEERS`',
    fallback: 'the usual authorities',
    parse: (text) => text,
  }),
  INTEGRATION_APPROVED_ORIGINS: setting({
    description:
      'origins, comma-separated, where MCP servers that owners connect, and what authorizes them, may lie: exact ones, or `https://*.` with a domain of two labels or more for all hosts below it; with the embedded database also `http:` ones of `EGRESS_LOCAL_PEERS`',
    fallback: 'none',
    file: true,
    parse: approvedOrigins,
  }),
  MCP_OAUTH_CLIENTS: setting({
    description:
      'what the deployment is called at authorization servers of MCP servers, as a JSON array: `{"issuer", "clientId", "clientSecret"?, "authMethod"?}` (`none`, `client_secret_basic` or `client_secret_post`), or for providers with OAuth 1.0a `{"kind": "oauth1", "origin", "requestTokenUrl", "authorizationUrl", "accessTokenUrl", "consumerKey", "consumerSecret", "signatureMethod"?}` (`HMAC-SHA1` or `HMAC-SHA256`)',
    fallback: 'none',
    secret: true,
    parse: mcpClients,
  }),
  MCP_OAUTH_REGISTRATION: setting({
    description:
      'whether the service registers itself at authorization servers of MCP servers where it has no client and cannot show its metadata document',
    fallback: '`on`',
    file: true,
    parse: onOff(true),
  }),
  KEY_VALUE_HOSTS: setting({
    description:
      'domains, comma-separated and with a dot before each, below which key-value stores lie that owners connect',
    fallback: '`.upstash.io`',
    file: true,
    parse: hostSuffixes(['.upstash.io']),
  }),
  CLOUD_ACCOUNT_ACCESS_KEY_ID: setting({
    description:
      'access key of the identity with which roles in cloud accounts of owners are assumed; it needs no right but `sts:AssumeRole`',
    fallback: 'nothing: cloud accounts cannot be connected',
    secret: true,
    parse: accessKey,
  }),
  CLOUD_ACCOUNT_SECRET_ACCESS_KEY: setting({
    description: 'secret of that access key',
    fallback: 'as for the access key; set both or neither',
    secret: true,
    parse: accessKey,
  }),
  WORKSPACE_OAUTH_CLIENT_ID: setting({
    description: 'id of the OAuth client with which the workspace is connected',
    fallback: 'the workspace cannot be connected',
    file: true,
    parse: accessKey,
  }),
  WORKSPACE_OAUTH_CLIENT_SECRET: setting({
    description: 'secret of that client',
    fallback: 'required with `WORKSPACE_OAUTH_CLIENT_ID`',
    secret: true,
    parse: accessKey,
  }),
  DOCUMENT_DB_HOSTS: setting({
    description:
      'domains, each with a dot before it and comma-separated, below which the clusters of document databases lie that owners connect',
    fallback: '`.mongodb.net`',
    file: true,
    parse: hostSuffixes(['.mongodb.net']),
  }),
  CODE_HOST_APP_ID: setting({
    description: 'id of the GitHub App whose installations are connected as code hosts',
    fallback: 'the code host is connected by tokens of people only',
    file: true,
    parse: accessKey,
  }),
  CODE_HOST_APP_KEY: setting({
    description: 'private RSA key of that app in PEM, as GitHub made it; lines may be joined by `\\n`',
    fallback: 'required with `CODE_HOST_APP_ID`',
    secret: true,
    parse: rsaPrivateKey,
  }),
  CODE_HOST_LOCAL_ORIGIN: setting({
    description:
      'one of `EGRESS_LOCAL_PEERS` that plays the code host in a trial, its interface below `/api/v3`; only with the embedded database',
    fallback: 'GitHub itself',
    parse: (text) => text,
  }),
  OAUTH_RETURN_URL: setting({
    description:
      'https address (or http on a loopback address) of a page of yours, to which browsers go after a connector was authorized, with `organization`, `integration` and `outcome` in the query',
    fallback: 'a page of the service',
    file: true,
    parse: returnAddress,
  }),
  SHUTDOWN_DRAIN_SECONDS: setting({
    description:
      'how long after SIGTERM the service still answers requests while `/health/ready` answers 503, so that load balancers notice, 0 to 300 s',
    fallback: '`5`; `0` with the embedded database',
    parse: (text) => (text === undefined ? undefined : integer(0, 0, 300)(text)),
  }),
  SHUTDOWN_TIMEOUT_MS: setting({
    description:
      'how long the shutdown then waits for requests in flight, 100 to 600000 ms; longer ones are answered 503. Set the container’s stop grace period to at least both together plus two seconds',
    fallback: '`8000`',
    parse: integer(8_000, 100, 600_000),
  }),
  CHAT_DECISIONS: setting({
    description:
      'how a person decides about actions in a chat: `turn` (whatever the chat agent does in the turn that answers the person’s message), `command` (only what a line of that message says, such as `/approve A-7K3M9Q`) or `off` (not at all)',
    fallback: '`turn`',
    parse: oneOf(['turn', 'command', 'off'], 'turn'),
  }),
  ACTION_LEASE_SECONDS: setting({
    description:
      'how long an approved action is an executor’s without a word of it, 3 to 3600 s; preparing and sending take up to 110 s, and what comes later than the lease is only noted',
    fallback: '`120`',
    parse: integer(120, 3, 3_600),
  }),
  METRICS_TOKEN: setting({
    description: 'bearer token for `GET /metrics`, at least 32 characters',
    fallback:
      'with the embedded database on a loopback address the route is open; otherwise it does not exist without a token (404)',
    secret: true,
    parse: secret,
  }),
  DOCS: setting({
    description: 'whether to serve `/docs`, `/docs/swagger` and `/docs-json`',
    fallback: '`on`',
    parse: onOff(true),
  }),
  LOG_LEVEL: setting({
    description: 'least severe level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    fallback: '`info`',
    parse: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    description:
      'http(s) URL of an OpenTelemetry collector, to send traces to; they go to `/v1/traces` below it, as protobuf over HTTP (usually port 4318)',
    fallback: 'no traces',
    parse: collectorUrl,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    description:
      'headers for the collector, such as credentials: `name=value`, comma-separated, values percent-encoded',
    fallback: 'none',
    secret: true,
    parse: headerList,
  }),
  OTEL_SERVICE_NAME: setting({
    description: 'name of the service in traces',
    fallback: '`business-runner`',
    parse: (text) => text ?? 'business-runner',
  }),
  OTEL_TRACES_SAMPLER: setting({
    description:
      "which requests are traced: `always_on`, `always_off` or `traceidratio`; with the prefix `parentbased_` only those for which the caller's `traceparent` does not decide",
    fallback: '`parentbased_always_on`',
    parse: oneOf(SAMPLERS, 'parentbased_always_on'),
  }),
  OTEL_TRACES_SAMPLER_ARG: setting({
    description: 'the share that `traceidratio` traces, 0 to 1',
    fallback: '`1`',
    parse: ratio(1),
  }),
};

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]['parse']> };
