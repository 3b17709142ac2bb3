import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { freshDatabase } from '../../support/database/test-database.ts';
import { fileWith, folderWith, folderWithoutPassword } from '../../support/folders.ts';
import { useListeners } from '../../support/peers/listeners.ts';
import { OldPostgres } from '../../support/peers/old-postgres.ts';
import { useRefusedStarts } from '../../support/processes/refused-starts.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';

afterAll(() => ServiceProcess.killAll());

const refusal = useRefusedStarts();

const file = fileWith('not a folder');

/** A bucket at an address where nobody is. */
const nowhere = {
  OBJECT_STORE_DIR: '',
  OBJECT_STORE_S3_BUCKET: 'bytes',
  OBJECT_STORE_S3_ENDPOINT: 'http://127.0.0.1:1',
  OBJECT_STORE_S3_ACCESS_KEY_ID: 'CANARY-key',
  OBJECT_STORE_S3_SECRET_ACCESS_KEY: 'CANARY-secret',
};

const listeners = useListeners();
const takenPort = await listeners.listen(() => undefined);
const hangsUp = await listeners.listen((socket) => socket.destroy());
const old = await listeners.listen((socket) => new OldPostgres(socket));

const databaseUrl = await freshDatabase('migrated');
const empty = await freshDatabase('empty');
const elsewhere = (changes: Partial<URL>) => Object.assign(new URL(databaseUrl), changes).href;

describe('a start with a variable that cannot be', () => {
  it.each<[string, Record<string, string>]>([
    ['PORT', onDatabase(databaseUrl, { PORT: takenPort })],
    ['HOST', onDatabase(databaseUrl, { HOST: '192.0.2.77' })],
    ['HOST', onDatabase(databaseUrl, { HOST: 'no-such-host.invalid' })],
    ['OBJECT_STORE_DIR', onDatabase(databaseUrl, { OBJECT_STORE_DIR: file })],
    ['OBJECT_STORE_DIR', onDatabase(databaseUrl, { OBJECT_STORE_DIR: join(file, 'below') })],
    ['OBJECT_STORE_DIR', onDatabase(databaseUrl, { ...nowhere, OBJECT_STORE_DIR: file })],
    ['OBJECT_STORE_S3_ENDPOINT', onDatabase(databaseUrl, nowhere)],
    ['CATALOG_DIR', onDatabase(databaseUrl, { CATALOG_DIR: file })],
    ['DATABASE_URL', onDatabase(elsewhere({ pathname: '/no_such_database' }))],
    ['DATABASE_URL', onDatabase(elsewhere({ password: 'CANARY-wrong' }))],
    ['DATABASE_URL', onDatabase(elsewhere({ port: '1' }), { MIGRATE_ON_START: 'off' })],
    ['DATABASE_URL', onDatabase(elsewhere({ password: '' }))],
    ['DATABASE_URL', onDatabase(elsewhere({ port: hangsUp }))],
    ['DATABASE_URL', onDatabase(elsewhere({ port: old }))],
    ['DATABASE_URL', onDatabase(elsewhere({ username: 'nobody_here' }), { DATABASE_DIRECT_URL: databaseUrl })],
    ['DATABASE_DIRECT_URL', onDatabase(databaseUrl, { DATABASE_DIRECT_URL: elsewhere({ port: '1' }) })],
    ['DATABASE_DISPATCH_URL', onDatabase(databaseUrl, { DATABASE_DISPATCH_URL: elsewhere({ port: '1' }) })],
    [
      'DATABASE_DISPATCH_URL',
      onDatabase(databaseUrl, { DATABASE_DISPATCH_URL: elsewhere({ username: 'nobody_here' }) }),
    ],
    ['MIGRATE_ON_START', onDatabase(empty, { MIGRATE_ON_START: 'off' })],
    ['DATA_DIR', { DATA_DIR: file }],
    ['DATA_DIR', { DATA_DIR: folderWith('capability-key', 'CANARY:CANARY') }],
    ['DATA_DIR', { DATA_DIR: folderWith('owner-token', '') }],
    ['DATA_DIR', { DATA_DIR: folderWithoutPassword() }],
  ])('says in one line that it is %s', async (name, env) => {
    const { code, stderr } = await refusal(env);
    expect(stderr).toMatch(new RegExp(`^${name}: [^\\n]+\\n$`));
    expect(stderr).not.toContain('CANARY');
    expect(code).toBe(1);
  });
});

describe('a start with several variables that cannot be', () => {
  const namesOf = (stderr: string) =>
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.split(': ')[0]!);

  it('names them all, a line each', async () => {
    const env = onDatabase(databaseUrl, {
      ...nowhere,
      DATABASE_URL: 'not an address',
      TRUST_PROXY: 'yes',
      OBJECT_STORE_S3_ENDPOINT: '',
      CAPABILITY_KEYS: 'CANARY:CANARY',
    });
    const { code, stderr } = await ServiceProcess.refusal({ env });
    expect(namesOf(stderr).toSorted()).toEqual([
      'CAPABILITY_KEYS',
      'DATABASE_URL',
      'OBJECT_STORE_S3_REGION',
      'TRUST_PROXY',
    ]);
    expect(stderr).not.toContain('CANARY');
    expect(code).toBe(1);
  });

  it('names with them what is missing', async () => {
    const env = onDatabase(databaseUrl, {
      ...nowhere,
      PORT: 'http',
      OBJECT_STORE_S3_ACCESS_KEY_ID: '',
      OWNER_BOOTSTRAP_TOKEN: '',
      CAPABILITY_KEYS: '',
    });
    const { stderr } = await refusal(env);
    expect(namesOf(stderr).toSorted()).toEqual([
      'CAPABILITY_KEYS',
      'OBJECT_STORE_S3_ACCESS_KEY_ID',
      'OWNER_BOOTSTRAP_TOKEN',
      'PORT',
    ]);
  });
});

describe('a start with a variable that only looks like one', () => {
  it('goes on and asks which was meant', async () => {
    const service = await ServiceProcess.start({ env: onDatabase(databaseUrl, { RUN_LEASE_SECOND: '5' }) });
    await service.kill();
    expect(service.log).toContain(
      'RUN_LEASE_SECOND: is not a variable of the service; did you mean RUN_LEASE_SECONDS?',
    );
  });
});
