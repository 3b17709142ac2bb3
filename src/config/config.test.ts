import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  COMPLETE,
  configOf,
  DATABASE,
  expectRefusal,
  SERVICE_TOKEN,
  TOKEN,
  trialConfigOf,
} from '../../test/support/configurations.ts';
import { fileWith } from '../../test/support/folders.ts';
import { readSettings } from './index.ts';

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
    ['METRICS_TOKEN', 'short'],
    ['OWNER_BOOTSTRAP_TOKEN', 'short'],
    ['OWNER_BOOTSTRAP_TOKEN', `change-me-${TOKEN}`],
    ['OWNER_BOOTSTRAP_TOKEN', `${TOKEN} with spaces`],
    ['OWNER_BOOTSTRAP_TOKEN', 'a'.repeat(40)],
    ['AGENT_SERVICE_TOKENS', `${TOKEN},short`],
    ['AGENT_SERVICE_TOKENS', `${TOKEN},`],
  ])('refuses %s=%s in one line that names it', expectRefusal);

  it('names all that is wrong, a line each, and nothing twice', () => {
    const env = { ...COMPLETE, PORT: 'http', OWNER_BOOTSTRAP_TOKEN: 'short', CAPABILITY_KEYS: '', OIDC_AUDIENCE: 'a' };
    const lines = [
      'PORT: must',
      'OWNER_BOOTSTRAP_TOKEN: must',
      'OIDC_ISSUER: is required',
      'CAPABILITY_KEYS: is required',
    ];
    let message = '';
    try {
      readSettings(env);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.split('\n').toSorted()).toEqual(lines.toSorted().map((line) => expect.stringContaining(line)));
  });

  it('refuses a token that is the owner’s and the runtimes’', () => {
    expect(() => readSettings({ ...COMPLETE, AGENT_SERVICE_TOKENS: `${SERVICE_TOKEN},${TOKEN}` })).toThrow(
      /^OWNER_BOOTSTRAP_TOKEN: is one of AGENT_SERVICE_TOKENS too/,
    );
  });

  it('takes overlapping service tokens', () => {
    const other = [...TOKEN].toReversed().join('');
    expect(readSettings({ AGENT_SERVICE_TOKENS: `${TOKEN}, ${other}` }).AGENT_SERVICE_TOKENS).toEqual([TOKEN, other]);
  });
});

describe('Config', () => {
  it.each(['OWNER_BOOTSTRAP_TOKEN', 'AGENT_SERVICE_TOKENS', 'CAPABILITY_KEYS', 'ENCRYPTION_KEYS'] as const)(
    'wants %s beside DATABASE_URL',
    (name) => {
      expect(() => configOf({ ...COMPLETE, [name]: '' })).toThrow(`${name}: is required when DATABASE_URL is set`);
    },
  );

  it('refuses other database addresses without DATABASE_URL', () => {
    expect(() => readSettings({ DATABASE_DIRECT_URL: DATABASE })).toThrow(/^DATABASE_DIRECT_URL: /);
  });

  it('listens everywhere with a database of the operator’s, on loopback without', () => {
    expect(configOf(COMPLETE).host).toBe('0.0.0.0');
    expect(trialConfigOf({}).host).toBe('127.0.0.1');
    expect(configOf({ ...COMPLETE, HOST: '::1' }).host).toBe('::1');
  });

  it('still answers for 5 s before it stops with a database of the operator’s', () => {
    expect(configOf(COMPLETE).shutdownDrainSeconds).toBe(5);
    expect(configOf({ ...COMPLETE, SHUTDOWN_DRAIN_SECONDS: '0' }).shutdownDrainSeconds).toBe(0);
    expect(trialConfigOf({}).shutdownDrainSeconds).toBe(0);
    expect(trialConfigOf({ SHUTDOWN_DRAIN_SECONDS: '7' }).shutdownDrainSeconds).toBe(7);
  });

  it('lets pages of listed origins in, and no others', () => {
    expect(configOf(COMPLETE).corsAllowedOrigins).toEqual([]);
    const given = 'https://app.example, http://localhost:5173';
    expect(configOf({ ...COMPLETE, CORS_ALLOWED_ORIGINS: given }).corsAllowedOrigins).toEqual(given.split(', '));
  });

  it('opens metrics only without a database of the operator’s, on loopback; otherwise to the holder of a token', () => {
    const embedded = (env: Record<string, string>) => trialConfigOf(env).metrics;
    expect(embedded({})).toEqual({ open: true, token: undefined });
    for (const HOST of ['::1', 'localhost', '127.1.2.3']) expect(embedded({ HOST }).open).toBe(true);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com'])
      expect(embedded({ HOST }).open).toBe(false);
    expect(embedded({ METRICS_TOKEN: TOKEN })).toEqual({ open: false, token: TOKEN });
    expect(configOf({ ...COMPLETE, HOST: '127.0.0.1' }).metrics).toEqual({ open: false, token: undefined });
    const withToken = configOf({ ...COMPLETE, METRICS_TOKEN_FILE: fileWith(`${TOKEN}\n`) });
    expect(withToken.metrics).toEqual({ open: false, token: TOKEN });
    expect(withToken.tokens).toEqual([TOKEN, SERVICE_TOKEN, TOKEN]);
  });

  it('falls back to one address for all connections', () => {
    expect(configOf(COMPLETE).database).toMatchObject({ url: DATABASE, directUrl: DATABASE, dispatchUrl: DATABASE });
  });

  it('keeps bytes in the data folder, or where it is told', () => {
    expect(configOf({ ...COMPLETE, DATA_DIR: '/data' }).objectStoreDir).toBe('/data/objects');
    expect(configOf(COMPLETE).objectStoreDir).toBe(resolve('.data/objects'));
    expect(configOf({ ...COMPLETE, OBJECT_STORE_DIR: 'bytes' }).objectStoreDir).toBe(resolve('bytes'));
  });

  it('reads whom to trust for the caller’s address', () => {
    expect(configOf({ ...COMPLETE, TRUST_PROXY: 'on' }).trustProxy).toBe(true);
    expect(configOf({ ...COMPLETE, TRUST_PROXY: '10.0.0.1, fd00::/8, loopback' }).trustProxy).toBe(
      '10.0.0.1,fd00::/8,loopback',
    );
    expect(configOf(COMPLETE).trustProxy).toBe(false);
  });
});
