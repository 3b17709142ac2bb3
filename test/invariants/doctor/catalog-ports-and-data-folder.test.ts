import { describe, expect, it } from '@jest/globals';
import { changedDatabase } from '../../support/database/test-database.ts';
import { faults, NOWHERE } from '../../support/doctor.ts';
import { catalogFolder } from '../../support/factories/catalog-folder.ts';
import { fileWith, folderWith, folderWithoutPassword, newFolder } from '../../support/folders.ts';
import { useListeners } from '../../support/peers/listeners.ts';
import { onDatabase } from '../../support/processes/service-process.ts';

const file = fileWith('no folder');
const listeners = useListeners();

/** A deployment in whose database somebody published a newer catalog. */
async function published(): Promise<Record<string, string>> {
  const url = await changedDatabase(
    `insert into catalog_revision (revision, version, catalog, instructions)
     values ('${'0'.repeat(64)}', 99, '{"version": 99, "profiles": []}', '{}')`,
  );
  return onDatabase(url);
}

describe('a catalog, a port or a data folder that is wrong', () => {
  it.each<[string, () => Promise<Record<string, string>>, RegExp]>([
    ['no folder', async () => ({ CATALOG_DIR: '/nowhere' }), /^FAIL CATALOG_DIR: there is no folder \/nowhere$/],
    [
      'no JSON',
      async () => ({ CATALOG_DIR: folderWith('catalog.json', '{') }),
      /^FAIL CATALOG_DIR: \S+ is not valid JSON$/,
    ],
    [
      'no catalog',
      async () => ({ CATALOG_DIR: newFolder('catalog') }),
      /^warn CATALOG_DIR: there is no catalog.json in/,
    ],
    [
      'an older catalog than the published one',
      async () => published(),
      /^warn CATALOG_DIR: version \d+ is older than the published 99 and is ignored$/,
    ],
    [
      'a changed catalog of the same version',
      async () => ({ ...(await published()), CATALOG_DIR: catalogFolder((catalog) => (catalog.version = 99)) }),
      /^warn CATALOG_DIR: version 99 is published with other content/,
    ],
    [
      'a port that is taken',
      async () => ({ PORT: await listeners.silent() }),
      /^FAIL PORT: \d+ cannot be used \(EADDRINUSE\)/,
    ],
    [
      'an address of another machine',
      async () => ({ HOST: '192.0.2.77' }),
      /^FAIL HOST: is not an address of this machine/,
    ],
    [
      'a data folder that is a file',
      async () => ({ DATA_DIR: file, DATABASE_URL: '' }),
      /^FAIL DATA_DIR: \S+ is not a writable folder \(ENOTDIR\)/,
    ],
    [
      'a data folder with a key that is none',
      async () => ({ DATA_DIR: folderWith('capability-key', 'CANARY:CANARY'), DATABASE_URL: '', CAPABILITY_KEYS: '' }),
      /^FAIL DATA_DIR: \S+capability-key holds no usable value/,
    ],
    [
      'a data folder without its password',
      async () => ({ DATA_DIR: folderWithoutPassword(), DATABASE_URL: '' }),
      /^FAIL DATA_DIR: \S+postgres-password is missing/,
    ],
  ])('is named: %s', async (_, env, wanted) => {
    expect(await faults({ ...onDatabase(NOWHERE), ...(await env()) })).toContainEqual(expect.stringMatching(wanted));
  });
});
