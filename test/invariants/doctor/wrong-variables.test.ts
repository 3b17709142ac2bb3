import { describe, expect, it } from '@jest/globals';
import { faults, NOWHERE } from '../../support/doctor.ts';
import { onDatabase } from '../../support/processes/service-process.ts';
import { CAPABILITY_KEY, SERVICE_TOKEN } from '../../support/test-app.ts';

const BASE = onDatabase(NOWHERE, { PORT: '0' });

/** Each names the variables or states that are wrong, and what must be said. */
describe('a variable that is wrong', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['of the wrong form', { PORT: 'http' }, /^FAIL PORT: must be an integer from 0 to 65535/],
    [
      'an example value',
      { OWNER_BOOTSTRAP_TOKEN: 'change-me-change-me-change-me-change' },
      /^FAIL OWNER_BOOTSTRAP_TOKEN: is a known example value/,
    ],
    [
      'too short',
      { AGENT_SERVICE_TOKENS: `${SERVICE_TOKEN},CANARY` },
      /^FAIL AGENT_SERVICE_TOKENS: must have at least 32 characters$/,
    ],
    ['missing', { OWNER_BOOTSTRAP_TOKEN: '' }, /^FAIL OWNER_BOOTSTRAP_TOKEN: is required when DATABASE_URL is set$/],
    [
      'two keys of one id',
      { CAPABILITY_KEYS: `${CAPABILITY_KEY},${CAPABILITY_KEY}` },
      /^FAIL CAPABILITY_KEYS: gives two keys the same kid/,
    ],
    [
      'a file that is not there',
      { OWNER_BOOTSTRAP_TOKEN: '', OWNER_BOOTSTRAP_TOKEN_FILE: '/nowhere' },
      /^FAIL OWNER_BOOTSTRAP_TOKEN_FILE: cannot be read \(ENOENT\)/,
    ],
    [
      'misspelt',
      { DATABASE_POOLSIZE: '5' },
      /^warn DATABASE_POOLSIZE: is not a variable of the service; did you mean DATABASE_POOL_SIZE\?$/,
    ],
    [
      'one token for two purposes',
      { OWNER_BOOTSTRAP_TOKEN: SERVICE_TOKEN },
      /^FAIL OWNER_BOOTSTRAP_TOKEN: is one of AGENT_SERVICE_TOKENS too/,
    ],
    ['a public address in the clear', { PUBLIC_BASE_URL: 'http://runner.example' }, /^warn PUBLIC_BASE_URL: is http/],
    [
      'a proxy that nobody trusts',
      { PUBLIC_BASE_URL: 'https://runner.example' },
      /^warn TRUST_PROXY: is off behind TLS/,
    ],
    ['trust in every caller', { TRUST_PROXY: 'on' }, /^warn TRUST_PROXY: is on/],
    [
      'an origin in the clear',
      { CORS_ALLOWED_ORIGINS: 'http://app.example' },
      /^warn CORS_ALLOWED_ORIGINS: lists http:\/\/app.example/,
    ],
    [
      'half of a bucket',
      { OBJECT_STORE_DIR: '', OBJECT_STORE_S3_BUCKET: 'bytes' },
      /^FAIL OBJECT_STORE_S3_REGION: is required/,
    ],
  ])('is named: %s', async (_, env, wanted) => {
    expect(await faults({ ...BASE, ...env })).toContainEqual(expect.stringMatching(wanted));
  });

  it('is named with all others that are wrong, and hides only what depends on it', async () => {
    const env = { ...BASE, PORT: 'http', LOG_LEVEL: 'loud', DATABASE_URL: 'CANARY', CATALOG_DIR: '/nowhere' };
    expect((await faults(env)).map((line) => line.split(':')[0])).toEqual([
      'FAIL DATABASE_URL',
      'FAIL PORT',
      'FAIL LOG_LEVEL',
      'FAIL CATALOG_DIR',
    ]);
  });
});
