import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerWithLogins } from '../../support/database/server-with-logins.ts';
import { findings } from '../../support/doctor.ts';
import { newFolder } from '../../support/folders.ts';

let server: ServerWithLogins;
beforeAll(async () => {
  server = await ServerWithLogins.start({ fsync: 'on' });
}, 60_000);
afterAll(() => server.stop());

describe('a deployment in which nothing is wrong', () => {
  it('has a line for each thing that was looked at, all ok, and is left as it was', async () => {
    const store = newFolder('objects');
    const env = server.deployment(server.url, {
      OBJECT_STORE_DIR: store,
      PUBLIC_BASE_URL: 'https://runner.internal',
      TRUST_PROXY: '10.0.0.0/8',
    });
    const found = await findings(env);
    expect(found.filter((line) => !line.startsWith('ok '))).toEqual([]);
    for (const about of [
      'configuration',
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'DATABASE_DISPATCH_URL',
      'roles',
      'row-level security',
      'extensions',
      'migrations',
      'DATABASE_POOL_SIZE',
      'durability',
      'clock',
      'CATALOG_DIR',
      'OBJECT_STORE_DIR',
      'PORT',
    ])
      expect(found).toContainEqual(expect.stringMatching(`^ok ${about}: `));
    expect(readdirSync(store)).toEqual([]);
  });
});
