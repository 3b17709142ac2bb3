import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Config, deploymentFromSettings, readSettings } from './index.ts';

const DATABASE = 'postgresql://user:password@db.internal:5432/business_runner';
const TOKEN = 'kQ3vT8nB5xW2mZ7pL4hJ6yR1cF9dS0gU';
const SEED = 'nT4vK9sQ2wR7yB1mX6cZ8dF3gH5jL0pA-uI_oEaSdWk';
const OTHER_SEED = 'oD7rM3kV8xP1tW6zN4bS9hC2fJ5qG0lU_eY-aIkVnRs';
const complete = {
  DATABASE_URL: DATABASE,
  OWNER_BOOTSTRAP_TOKEN: TOKEN,
  AGENT_SERVICE_TOKENS: TOKEN,
  CAPABILITY_KEYS: `k1:${SEED}`,
};
const bytes = (text: string) => Buffer.from(text).toString('base64url');

function configOf(env: Record<string, string>): Config {
  const settings = readSettings(env);
  return new Config(settings, deploymentFromSettings(settings)!);
}

/** An error whose message does not contain a text; `toThrow` gives a matcher the error itself. */
function without(text: string): unknown {
  return expect.objectContaining({ message: expect.not.stringContaining(text) });
}

function fileWith(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'value');
  writeFileSync(file, text);
  return file;
}

describe('readSettings', () => {
  it.each([
    ['PORT', 'http'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['DATABASE_URL', 'mysql://db'],
    ['DATABASE_URL', 'not an address'],
    ['DATABASE_URL', 'postgresql://db.internal/business_runner'],
    ['DATABASE_URL', 'postgresql://user:password@db.internal'],
    ['DATABASE_URL', 'postgresql://user:pass%word@db.internal/business_runner'],
    ['DATABASE_DIRECT_URL', 'postgresql://user:password@db.internal/'],
    ['DATABASE_POOL_SIZE', '1'],
    ['PUBLIC_BASE_URL', 'ftp://acme.example'],
    ['PUBLIC_BASE_URL', 'https://acme.example/?x'],
    ['PUBLIC_BASE_URL', 'https://user:password@acme.example'],
    ['TRUST_PROXY', 'yes'],
    ['TRUST_PROXY', '10.0.0.1,proxy.example'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['ROLE', 'boss'],
    ['DOCS', 'maybe'],
    ['SHUTDOWN_TIMEOUT_MS', '8s'],
    ['SHUTDOWN_DRAIN_SECONDS', '301'],
    ['CORS_ALLOWED_ORIGINS', '*'],
    ['CORS_ALLOWED_ORIGINS', 'https://*.example'],
    ['CORS_ALLOWED_ORIGINS', 'https://app.example/'],
    ['CORS_ALLOWED_ORIGINS', 'https://App.example'],
    ['CORS_ALLOWED_ORIGINS', 'app.example'],
    ['CORS_ALLOWED_ORIGINS', 'null'],
    ['CORS_ALLOWED_ORIGINS', 'https://a.example,'],
    ['EGRESS_PROXY', 'proxy.internal:3128'],
    ['EGRESS_PROXY', 'socks5://proxy.internal'],
    ['EGRESS_PROXY', 'http://proxy.internal/path'],
    ['EGRESS_PROXY', 'http://user:100%@proxy.internal'],
    ['EGRESS_LOCAL_PEERS', 'https://localhost:8443/'],
    ['EGRESS_LOCAL_PEERS', 'localhost:8443'],
    ['EGRESS_LOCAL_CA_FILE', 'ca.pem'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b,in valid=c'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%E0%A4%A'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=line%0Abreak'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
    ['OBJECT_STORE_S3_BUCKET', 'ab'],
    ['OBJECT_STORE_S3_BUCKET', 'My_Bucket'],
    ['OBJECT_STORE_S3_ENDPOINT', 's3.internal'],
    ['OBJECT_STORE_S3_REGION', 'Frankfurt am Main'],
    ['OBJECT_STORE_S3_PREFIX', 'Mine'],
    ['OBJECT_STORE_S3_PREFIX', '/'],
    ['OBJECT_STORE_S3_PREFIX', 'a//b'],
    ['OBJECT_STORE_S3_PREFIX', '../a'],
    ['OBJECT_STORE_S3_PATH_STYLE', 'maybe'],
    ['OBJECT_STORE_S3_ACCESS_KEY_ID', 'minioadmin'],
    ['OBJECT_STORE_S3_ACCESS_KEY_ID', 'with spaces'],
    ['OBJECT_STORE_S3_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
    ['METRICS_TOKEN', 'short'],
    ['OWNER_BOOTSTRAP_TOKEN', 'short'],
    ['OWNER_BOOTSTRAP_TOKEN', `change-me-${TOKEN}`],
    ['OWNER_BOOTSTRAP_TOKEN', `${TOKEN} with spaces`],
    ['OWNER_BOOTSTRAP_TOKEN', 'a'.repeat(40)],
    ['OIDC_ISSUER', 'login.acme.test'],
    ['OIDC_ISSUER', 'https://login.acme.test?realm=1'],
    ['OIDC_ISSUER', 'https://login.acme.test/?'],
    ['OIDC_ISSUER', 'https://login.acme.test#'],
    ['OIDC_ISSUER', 'https://user:password@login.acme.test'],
    ['OIDC_ISSUER', 'https://login.acme.test/a|b'],
    ['OIDC_ISSUER', 'https://login.acme.test/a b'],
    ['OIDC_ISSUER', `https://login.acme.test/${'x'.repeat(177)}`],
    ['OIDC_AUDIENCE', 'one,'],
    ['OIDC_AUDIENCE', 'one two'],
    ['OIDC_AUDIENCE', 'x'.repeat(201)],
    ['AGENT_SERVICE_TOKENS', `${TOKEN},short`],
    ['AGENT_SERVICE_TOKENS', `${TOKEN},`],
    ['CAPABILITY_KEYS', SEED],
    ['CAPABILITY_KEYS', `:${SEED}`],
    ['CAPABILITY_KEYS', `k 1:${SEED}`],
    ['CAPABILITY_KEYS', `k1:${SEED}:`],
    ['CAPABILITY_KEYS', `k1:${SEED},`],
    ['CAPABILITY_KEYS', `k1:${SEED.slice(1)}`],
    ['CAPABILITY_KEYS', `k1:${SEED}A`],
    ['CAPABILITY_KEYS', `k1:${SEED}=`],
    ['CAPABILITY_KEYS', `k1:${SEED.replace('-', '+')}`],
    // Its last character has bits that 32 bytes do not reach.
    ['CAPABILITY_KEYS', `k1:${SEED.slice(0, -1)}l`],
    ['CAPABILITY_KEYS', `k1:${SEED},k1:${OTHER_SEED}`],
    ['CAPABILITY_KEYS', `k1:${'A'.repeat(43)}`],
    ['CAPABILITY_KEYS', `k1:${Buffer.from([...Array(32).keys()]).toString('base64url')}`],
    ['CAPABILITY_KEYS', `k1:${bytes('correct horse battery staple now')}`],
    ['CAPABILITY_KEYS', 'k1:nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'],
    ['CAPABILITY_KEYS', `k1:${SEED},k2:example${SEED.slice(7)}`],
  ])('refuses %s=%s in one line that names it', (name, value) => {
    let message = '';
    try {
      readSettings({ [name]: value });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(new RegExp(`^${name}: .+$`));
    expect(message).not.toContain('\n');
  });

  it('does not echo a secret', () => {
    expect(() => readSettings({ OWNER_BOOTSTRAP_TOKEN: 'hunter2' })).toThrow(without('hunter2'));
    expect(() => readSettings({ CAPABILITY_KEYS: 'hunter2:hunter2' })).toThrow(without('hunter2'));
    expect(() => readSettings({ DATABASE_URL: 'mysql://u:hunter2@db' })).toThrow(without('hunter2'));
  });

  it('does not echo a password in a URL that should hold none', () => {
    for (const name of ['PUBLIC_BASE_URL', 'CORS_ALLOWED_ORIGINS', 'EGRESS_LOCAL_PEERS', 'OBJECT_STORE_S3_ENDPOINT'])
      expect(() => readSettings({ [name]: 'https://user:hunter2@acme.example/?x' })).toThrow(without('hunter2'));
  });

  it('reads secrets from files and trims them', () => {
    const settings = readSettings({ OWNER_BOOTSTRAP_TOKEN_FILE: fileWith(`${TOKEN}\n`) });
    expect(settings.OWNER_BOOTSTRAP_TOKEN).toBe(TOKEN);
  });

  it('refuses a secret given twice, and a file that is not there', () => {
    const file = fileWith(TOKEN);
    expect(() => readSettings({ OWNER_BOOTSTRAP_TOKEN: TOKEN, OWNER_BOOTSTRAP_TOKEN_FILE: file })).toThrow(
      /^OWNER_BOOTSTRAP_TOKEN: /,
    );
    expect(() => readSettings({ OWNER_BOOTSTRAP_TOKEN_FILE: `${file}.not` })).toThrow(
      /^OWNER_BOOTSTRAP_TOKEN_FILE: cannot be read \(ENOENT\)/,
    );
  });

  it('refuses a file that was never filled in', () => {
    const name = 'OWNER_BOOTSTRAP_TOKEN_FILE';
    for (const empty of ['', ' \n'])
      expect(() => readSettings({ [name]: fileWith(empty) })).toThrow(`${name}: names an empty file`);
  });

  it('counts empty text as absent', () => {
    expect(readSettings({ PORT: ' ' }).PORT).toBe(3000);
  });

  it('traces only to a collector, and keeps its credentials out of its address', () => {
    const env = { ...complete, OTEL_SERVICE_NAME: 'acme', OTEL_TRACES_SAMPLER_ARG: '0.05' };
    expect(configOf(env).tracing).toBeUndefined();
    const endpoint = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.internal:4318/otlp/' };
    const OTEL_EXPORTER_OTLP_HEADERS = 'Authorization=Bearer%20a%3Db, x-tenant = acme ,';
    expect(configOf({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS }).tracing).toEqual({
      endpoint: 'https://collector.internal:4318/otlp',
      headers: { authorization: 'Bearer a=b', 'x-tenant': 'acme' },
      serviceName: 'acme',
      parentBased: true,
      ratio: 1,
    });
    const sampled = (name: string) => configOf({ ...endpoint, OTEL_TRACES_SAMPLER: name }).tracing;
    expect(sampled('traceidratio')).toMatchObject({ parentBased: false, ratio: 0.05 });
    expect(sampled('parentbased_traceidratio')).toMatchObject({ parentBased: true, ratio: 0.05 });
    expect(sampled('parentbased_always_off')).toMatchObject({ parentBased: true, ratio: 0 });
    const inAddress = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:word@collector:4318' };
    expect(() => configOf(inAddress)).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT: .*OTEL_EXPORTER_OTLP_HEADERS$/);
  });

  it('takes overlapping service tokens', () => {
    const other = [...TOKEN].toReversed().join('');
    expect(readSettings({ AGENT_SERVICE_TOKENS: `${TOKEN}, ${other}` }).AGENT_SERVICE_TOKENS).toEqual([TOKEN, other]);
  });

  it('takes overlapping capability keys, in their order', () => {
    expect(readSettings({ CAPABILITY_KEYS: `k2:${OTHER_SEED}, k-1_:${SEED}` }).CAPABILITY_KEYS).toEqual([
      { kid: 'k2', seed: Buffer.from(OTHER_SEED, 'base64url') },
      { kid: 'k-1_', seed: Buffer.from(SEED, 'base64url') },
    ]);
  });
});

describe('Config', () => {
  it.each(['OWNER_BOOTSTRAP_TOKEN', 'AGENT_SERVICE_TOKENS', 'CAPABILITY_KEYS'] as const)(
    'wants %s beside DATABASE_URL',
    (name) => {
      expect(() => configOf({ ...complete, [name]: '' })).toThrow(`${name}: is required when DATABASE_URL is set`);
    },
  );

  it('refuses other database addresses without DATABASE_URL', () => {
    expect(() => deploymentFromSettings(readSettings({ DATABASE_DIRECT_URL: DATABASE }))).toThrow(
      /^DATABASE_DIRECT_URL: /,
    );
  });

  it('listens everywhere with a database of the operator’s, on loopback without', () => {
    expect(configOf(complete).host).toBe('0.0.0.0');
    const local = { url: DATABASE, ownerBootstrapToken: TOKEN, agentServiceTokens: [TOKEN], capabilityKeys: [] };
    expect(new Config(readSettings({}), local).host).toBe('127.0.0.1');
    expect(configOf({ ...complete, HOST: '::1' }).host).toBe('::1');
  });

  it('still answers for 5 s before it stops with a database of the operator’s', () => {
    expect(configOf(complete).shutdownDrainSeconds).toBe(5);
    expect(configOf({ ...complete, SHUTDOWN_DRAIN_SECONDS: '0' }).shutdownDrainSeconds).toBe(0);
    const local = { url: DATABASE, ownerBootstrapToken: TOKEN, agentServiceTokens: [TOKEN], capabilityKeys: [] };
    expect(new Config(readSettings({}), local).shutdownDrainSeconds).toBe(0);
    expect(new Config(readSettings({ SHUTDOWN_DRAIN_SECONDS: '7' }), local).shutdownDrainSeconds).toBe(7);
  });

  it('lets pages of listed origins in, and no others', () => {
    expect(configOf(complete).corsAllowedOrigins).toEqual([]);
    const given = 'https://app.example, http://localhost:5173';
    expect(configOf({ ...complete, CORS_ALLOWED_ORIGINS: given }).corsAllowedOrigins).toEqual(given.split(', '));
  });

  it('refuses local peers beside DATABASE_URL', () => {
    const peers = { EGRESS_LOCAL_PEERS: 'https://localhost:8443, http://127.0.0.1:4000' };
    expect(() => configOf({ ...complete, ...peers })).toThrow(/^EGRESS_LOCAL_PEERS: is only for trials/);
    const file = { EGRESS_LOCAL_CA_FILE: fileWith('') };
    expect(() => configOf({ ...complete, ...file })).toThrow(/^EGRESS_LOCAL_CA_FILE: is only for trials/);
    const local = { url: DATABASE, ownerBootstrapToken: TOKEN, agentServiceTokens: [TOKEN], capabilityKeys: [] };
    const { egress } = new Config(readSettings(peers), local);
    expect(egress.localPeers).toEqual(['https://localhost:8443', 'http://127.0.0.1:4000']);
    expect(() => new Config(readSettings({ ...peers, ...file }), local)).toThrow(/^EGRESS_LOCAL_CA_FILE: holds no/);
  });

  it('does not echo the proxy, which may be given as a file', () => {
    const proxy = 'http://user:hunter2@proxy.internal:3128';
    expect(configOf({ ...complete, EGRESS_PROXY_FILE: fileWith(proxy) }).egress.proxy?.password).toBe('hunter2');
    expect(() => readSettings({ EGRESS_PROXY: `${proxy}/path` })).toThrow(without('hunter2'));
  });

  it('opens metrics only without a database of the operator’s, on loopback; otherwise to the holder of a token', () => {
    const local = { url: DATABASE, ownerBootstrapToken: TOKEN, agentServiceTokens: [TOKEN], capabilityKeys: [] };
    const embedded = (env: Record<string, string>) => new Config(readSettings(env), local).metrics;
    expect(embedded({})).toEqual({ open: true, token: undefined });
    for (const HOST of ['::1', 'localhost', '127.1.2.3']) expect(embedded({ HOST }).open).toBe(true);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com'])
      expect(embedded({ HOST }).open).toBe(false);
    expect(embedded({ METRICS_TOKEN: TOKEN })).toEqual({ open: false, token: TOKEN });
    expect(configOf({ ...complete, HOST: '127.0.0.1' }).metrics).toEqual({ open: false, token: undefined });
    const withToken = configOf({ ...complete, METRICS_TOKEN_FILE: fileWith(`${TOKEN}\n`) });
    expect([withToken.metrics, withToken.tokens]).toEqual([{ open: false, token: TOKEN }, [TOKEN, TOKEN, TOKEN]]);
  });

  it('falls back to one address for all connections', () => {
    expect(configOf(complete).database).toMatchObject({ url: DATABASE, directUrl: DATABASE, dispatchUrl: DATABASE });
  });

  it('keeps bytes in the data folder, or where it is told', () => {
    expect(configOf({ ...complete, DATA_DIR: '/data' }).objectStoreDir).toBe('/data/objects');
    expect(configOf(complete).objectStoreDir).toBe(resolve('.data/objects'));
    expect(configOf({ ...complete, OBJECT_STORE_DIR: 'bytes' }).objectStoreDir).toBe(resolve('bytes'));
  });

  it('keeps bytes in a bucket where it is given one', () => {
    expect(configOf(complete).objectStoreS3).toBeUndefined();
    expect(configOf({ ...complete, OBJECT_STORE_S3_BUCKET: 'bytes', OBJECT_STORE_S3_REGION: 'eu-central-1' })).toEqual(
      expect.objectContaining({
        objectStoreS3: {
          bucket: 'bytes',
          region: 'eu-central-1',
          endpoint: undefined,
          pathStyle: false,
          prefix: '',
          credentials: undefined,
        },
      }),
    );
    const elsewhere = {
      ...complete,
      OBJECT_STORE_S3_BUCKET: 'bytes',
      OBJECT_STORE_S3_ENDPOINT: 'http://minio:9000/',
      OBJECT_STORE_S3_PREFIX: '/deep/one/',
      OBJECT_STORE_S3_ACCESS_KEY_ID: 'key',
      OBJECT_STORE_S3_SECRET_ACCESS_KEY_FILE: fileWith('hunter2\n'),
    };
    expect(configOf(elsewhere).objectStoreS3).toEqual({
      bucket: 'bytes',
      region: 'us-east-1',
      endpoint: 'http://minio:9000',
      pathStyle: true,
      prefix: 'deep/one',
      credentials: { accessKeyId: 'key', secretAccessKey: 'hunter2' },
    });
    expect(configOf({ ...elsewhere, OBJECT_STORE_S3_PATH_STYLE: 'off' }).objectStoreS3!.pathStyle).toBe(false);
  });

  it.each<[string, Record<string, string>]>([
    ['OBJECT_STORE_S3_ENDPOINT', { OBJECT_STORE_S3_ENDPOINT: 'http://minio:9000' }],
    ['OBJECT_STORE_S3_PATH_STYLE', { OBJECT_STORE_S3_PATH_STYLE: 'off' }],
    ['OBJECT_STORE_S3_REGION', { OBJECT_STORE_S3_BUCKET: 'bytes' }],
    [
      'OBJECT_STORE_DIR',
      { OBJECT_STORE_S3_BUCKET: 'bytes', OBJECT_STORE_S3_REGION: 'x1', OBJECT_STORE_DIR: 'objects' },
    ],
    [
      'OBJECT_STORE_S3_SECRET_ACCESS_KEY',
      { OBJECT_STORE_S3_BUCKET: 'bytes', OBJECT_STORE_S3_REGION: 'x1', OBJECT_STORE_S3_ACCESS_KEY_ID: 'key' },
    ],
    [
      'OBJECT_STORE_S3_ACCESS_KEY_ID',
      { OBJECT_STORE_S3_BUCKET: 'bytes', OBJECT_STORE_S3_REGION: 'x1', OBJECT_STORE_S3_SECRET_ACCESS_KEY: 'hunter2' },
    ],
  ])('refuses a store that is only half described, naming %s', (name, env) => {
    expect(() => readSettings(env)).toThrow(new RegExp(`^${name}: [^\n]+$`));
    expect(() => readSettings(env)).toThrow(without('hunter2'));
  });

  it('takes an OpenID provider as it is written, with its audiences, and not one without the other', () => {
    const env = { OIDC_ISSUER: 'https://Login.acme.test/realms/A/', OIDC_AUDIENCE: 'api://one, two' };
    expect(configOf({ ...complete, ...env }).oidc).toEqual({
      issuer: 'https://Login.acme.test/realms/A/',
      audiences: ['api://one', 'two'],
    });
    expect(configOf(complete).oidc).toBeUndefined();
    const local = {
      ...env,
      OIDC_ISSUER: 'http://127.0.0.1:8080/realms/a',
      EGRESS_LOCAL_PEERS: 'http://127.0.0.1:8080',
    };
    expect(readSettings(local).OIDC_ISSUER).toBe(local.OIDC_ISSUER);
    expect(() => readSettings({ ...local, EGRESS_LOCAL_PEERS: 'http://127.0.0.1:8081' })).toThrow(
      /^OIDC_ISSUER: must begin with https:/,
    );
    expect(() => readSettings({ ...env, OIDC_AUDIENCE: '' })).toThrow(
      /^OIDC_AUDIENCE: is required when OIDC_ISSUER is set$/,
    );
    expect(() => readSettings({ ...env, OIDC_ISSUER: '' })).toThrow(
      /^OIDC_ISSUER: is required when OIDC_AUDIENCE is set$/,
    );
  });

  it('reads whom to trust for the caller’s address', () => {
    expect(configOf({ ...complete, TRUST_PROXY: 'on' }).trustProxy).toBe(true);
    expect(configOf({ ...complete, TRUST_PROXY: '10.0.0.1, fd00::/8, loopback' }).trustProxy).toBe(
      '10.0.0.1,fd00::/8,loopback',
    );
    expect(configOf(complete).trustProxy).toBe(false);
  });
});
