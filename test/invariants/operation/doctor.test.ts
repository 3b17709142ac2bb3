import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readSettings } from '../../../src/config/index.ts';
import { diagnose } from '../../../src/doctor/index.ts';
import { type EmbeddedServer, startEmbeddedDefault, startEmbeddedServer } from '../../../src/embedded/index.ts';
import { migrate } from '../../../src/kernel/database/index.ts';
import { ormOptions } from '../../../src/mikro-orm.config.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { OpenIdPeer, signingKey } from '../../support/peers/openid-peer.ts';
import { OldPostgres } from '../../support/peers/old-postgres.ts';
import { S3Peer } from '../../support/peers/s3-peer.ts';
import { onDatabase } from '../../support/processes/service-process.ts';
import { CAPABILITY_KEY, SERVICE_TOKEN } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

/** Longest that the doctor may take, whatever hangs: connecting and asking have 5 s each, the store has 15 s. */
const BOUND_MS = 30_000;
const folder = (name: string) => mkdtempSync(join(process.env.TEST_FOLDER!, name));

/** A server of its own, because what is broken here belongs to a whole server. */
let server: EmbeddedServer;
const listeners: Server[] = [];
let made = 0;

beforeAll(async () => {
  server = await startEmbeddedServer({ dataDir: folder('doctor-'), database: 'template_doctor' });
  await setFsync('off');
  await administer(`
    create role owner_login login createrole password 'CANARY-owner';
    create role api_login login password 'CANARY-api';
    create role dispatch_login login password 'CANARY-dispatch';
    alter database template_doctor owner to owner_login`);
  const {
    DATABASE_URL: url,
    DATABASE_DIRECT_URL: directUrl,
    DATABASE_DISPATCH_URL: dispatchUrl,
  } = withLogins(server.url);
  await migrate(ormOptions, { url: url!, directUrl: directUrl!, dispatchUrl: dispatchUrl! });
}, 60_000);
afterAll(async () => {
  for (const listener of listeners) listener.close();
  await server.stop();
});

async function administer(statement: string, url = server.url): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** On, as it is without a word, each new database costs a second. */
async function setFsync(value: 'on' | 'off'): Promise<void> {
  await administer(`alter system set fsync = ${value}`);
  await administer('select pg_reload_conf()');
  await until(`fsync is ${value}`, async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query<{ fsync: string }>('show fsync');
    await client.end();
    return rows[0]!.fsync === value;
  });
}

const changed = (url: string, changes: Partial<URL>) => Object.assign(new URL(url), changes).href;

/** A database on that server, changed by the statements; the URL is the superuser's. */
async function database({ template = 'template_doctor', options = '', statements = [] as string[] } = {}) {
  const name = `doctor_${(made += 1)}`;
  const maintenance = changed(server.url, { pathname: '/postgres' });
  await administer(`create database ${name} template ${template} ${options}`, maintenance);
  const url = changed(server.url, { pathname: `/${name}` });
  for (const statement of statements) await administer(statement.replaceAll('THIS', name), url);
  return url;
}

/** The environment of a deployment with a login for each purpose. */
function withLogins(url: string, env: Record<string, string> = {}): Record<string, string> {
  const as = (username: string) => changed(url, { username, password: `CANARY-${username.split('_')[0]}` });
  return onDatabase(as('api_login'), {
    DATABASE_DIRECT_URL: as('owner_login'),
    DATABASE_DISPATCH_URL: as('dispatch_login'),
    PORT: '0',
    ...env,
  });
}

async function lines(env: Record<string, string>): Promise<string[]> {
  const startedAt = performance.now();
  const found: string[] = [];
  for await (const finding of diagnose(env)) found.push(`${finding.level} ${finding.about}: ${finding.text}`);
  expect(performance.now() - startedAt).toBeLessThan(BOUND_MS);
  for (const line of found) {
    expect(line).not.toContain('CANARY');
    expect(line).not.toContain('\n');
  }
  return found;
}

/** What is not as it should be. */
async function faults(env: Record<string, string>): Promise<string[]> {
  return (await lines(env)).filter((line) => !line.startsWith('ok ') && line !== WITHOUT_FSYNC);
}
const WITHOUT_FSYNC = 'warn durability: fsync of the server: off; a crash loses acknowledged work; set to on';

async function listening(serve: (socket: Socket) => unknown): Promise<string> {
  const listener = createServer(serve).listen(0, '127.0.0.1');
  listeners.push(listener);
  await once(listener, 'listening');
  return String((listener.address() as AddressInfo).port);
}
const silent = () => listening((socket) => socket.on('error', () => undefined));

describe('a deployment in which nothing is wrong', () => {
  it('has a line for each thing that was looked at, all ok, and is left as it was', async () => {
    const store = folder('doctor-objects-');
    const env = withLogins(await database(), {
      OBJECT_STORE_DIR: store,
      PUBLIC_BASE_URL: 'https://runner.internal',
      TRUST_PROXY: '10.0.0.0/8',
    });
    await setFsync('on');
    const found = await lines(env);
    await setFsync('off');
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

/** Each names the variables or states that are wrong, and what must be said. */
describe('a variable that is wrong', () => {
  const base = () => withLogins('postgresql://postgres@127.0.0.1:1/nothing');

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
    ['misspelt', { DATABASE_POOLSIZE: '5' }, /^warn DATABASE_POOLSIZE: is not a variable of the service/],
    [
      'one token for two purposes',
      { OWNER_BOOTSTRAP_TOKEN: SERVICE_TOKEN },
      /^warn OWNER_BOOTSTRAP_TOKEN: is one of AGENT_SERVICE_TOKENS too/,
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
    expect(await faults({ ...base(), ...env })).toContainEqual(expect.stringMatching(wanted));
  });

  it('is named with all others that are wrong, and hides only what depends on it', async () => {
    const env = { ...base(), PORT: 'http', LOG_LEVEL: 'loud', DATABASE_URL: 'CANARY', CATALOG_DIR: '/nowhere' };
    expect((await faults(env)).map((line) => line.split(':')[0])).toEqual([
      'FAIL DATABASE_URL',
      'FAIL PORT',
      'FAIL LOG_LEVEL',
      'FAIL CATALOG_DIR',
    ]);
  });
});

describe('a database that cannot be reached or used', () => {
  it.each<[string, (url: string) => Promise<Record<string, string>> | Record<string, string>, RegExp]>([
    ['nobody answers', (url) => onDatabase(changed(url, { port: '1' })), /^FAIL DATABASE_URL: no server answers/],
    [
      'the password is wrong',
      (url) => onDatabase(changed(url, { password: 'CANARY-wrong' })),
      /^FAIL DATABASE_URL: the server refuses the user or password$/,
    ],
    [
      'it does not exist',
      (url) => onDatabase(changed(url, { pathname: '/no_such' })),
      /^FAIL DATABASE_URL: the server does not have this database$/,
    ],
    [
      'the server has no TLS',
      (url) => onDatabase(`${url}?sslmode=require`),
      /^FAIL DATABASE_URL: the server does not accept encrypted connections$/,
    ],
    [
      'the server is too old',
      async (url) => onDatabase(changed(url, { port: await listening((socket) => new OldPostgres(socket)) })),
      /^FAIL DATABASE_URL: needs PostgreSQL 17 or newer, but the server is 16$/,
    ],
    [
      'the server accepts and is silent',
      async (url) => onDatabase(changed(url, { port: await silent() })),
      /^FAIL DATABASE_URL: no server answers/,
    ],
    [
      'the server hangs after the login',
      async (url) =>
        onDatabase(changed(url, { port: await listening((socket) => new OldPostgres(socket, { answers: false })) })),
      /^FAIL DATABASE_URL: no server answers/,
    ],
    [
      'it only lets read',
      async () =>
        onDatabase(await database({ statements: ['alter database THIS set default_transaction_read_only = on'] })),
      /^FAIL DATABASE_URL: the server is a standby or only lets this login read/,
    ],
    [
      'its encoding is another',
      async () =>
        onDatabase(
          await database({ template: 'template0', options: `encoding 'LATIN1' locale_provider libc locale 'C'` }),
        ),
      /^FAIL DATABASE_URL: the encoding of the database is LATIN1/,
    ],
    [
      'two URLs lead to different ones',
      async (url) => withLogins(url, { DATABASE_DIRECT_URL: await database() }),
      /^FAIL DATABASE_URL: leads to another database than DATABASE_DIRECT_URL/,
    ],
  ])('is named: %s', async (_, env, wanted) => {
    expect(await faults(await env(server.url))).toContainEqual(expect.stringMatching(wanted));
  });

  it('is named where its server would lose acknowledged work', async () => {
    const found = await faults(onDatabase(await freshDatabase('migrated')));
    expect(found).toContainEqual(
      expect.stringMatching(/^warn durability: fsync, full_page_writes, synchronous_commit/),
    );
  });

  it('is named where the clock of the machine differs from that of the server', async () => {
    const shift = `const D = Date; globalThis.Date = class extends D { static now() { return D.now() + 3_600_000; } };`;
    const { code, stdout } = await command(
      withLogins(await database()),
      `--import=data:text/javascript,${encodeURIComponent(shift)}`,
    );
    expect(stdout).toMatch(/^warn {2}clock: differs from that of the database by 3[56]\d\d s; synchronise/m);
    expect(stdout).toMatch(/^faults: 0, warnings: \d$/m);
    expect(code).toBe(0);
  });
});

/** The doctor as an operator runs it. */
async function command(env: Record<string, string>, ...options: string[]): Promise<{ code: number; stdout: string }> {
  const child = spawn(process.execPath, [...options, 'dist/src/doctor.js'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { code: code as number, stdout };
}

describe('the command', () => {
  it('prints a line for each finding and their number, and exits with 1 for a fault', async () => {
    const { code, stdout } = await command({ PORT: 'http', DATA_DIR: join(folder('doctor-command-'), 'data') });
    const found = stdout.trimEnd().split('\n');
    expect(found[0]).toBe('FAIL  PORT: must be an integer from 0 to 65535, is "http"');
    expect(found.at(-1)).toBe('faults: 1, warnings: 0');
    for (const line of found.slice(1, -1)) expect(line).toMatch(/^ok {4}\w+: /);
    expect(code).toBe(1);
  });

  it('looks at the embedded database beside its service, which goes on', async () => {
    const dataDir = join(folder('doctor-embedded-'), 'data');
    const embedded = await startEmbeddedDefault(dataDir, readSettings({}));
    try {
      const { code, stdout } = await command({ DATA_DIR: dataDir, PORT: '0' });
      expect(stdout).toMatch(/^ok {4}migrations: (\d+) of \1 are missing; the start applies them$/m);
      expect(code).toBe(0);
      await administer('select 1', embedded.deployment.url);
    } finally {
      await embedded.stop();
    }
    const files = readdirSync(dataDir);
    expect(files).not.toContain('objects');
  });
});

describe('roles and tables that are wrong', () => {
  it.each<[string, string[], RegExp]>([
    [
      'a table that belongs to another',
      ['alter table task owner to postgres'],
      /^FAIL DATABASE_DIRECT_URL: its login does not own 1 table, such as task/,
    ],
    [
      'policies that nothing enforces',
      ['alter table run disable row level security'],
      /^FAIL row-level security: is off for run; run: alter table run enable/,
    ],
    [
      'policies that the owner passes',
      ['alter table chat no force row level security'],
      /^FAIL row-level security: is off for chat;/,
    ],
    [
      'an extension that was removed',
      ['drop extension btree_gin cascade'],
      /^FAIL extensions: btree_gin was removed; run: create extension btree_gin;$/,
    ],
    [
      'migrations of a newer release',
      [`insert into mikro_orm_migrations (name) values ('Migration99991231Future')`],
      /^warn migrations: the database has 1 of a newer release, such as Migration99991231Future/,
    ],
    [
      'an index that is incomplete',
      [`update pg_index set indisvalid = false where indexrelid = 'task_pkey'::regclass`],
      /^warn migrations: the index task_pkey is incomplete/,
    ],
    [
      'too few connections for the database',
      ['alter database THIS connection limit 10'],
      /^FAIL DATABASE_POOL_SIZE: one process opens up to 46 connections, but the server allows 10/,
    ],
  ])('are named: %s', async (_, statements, wanted) => {
    expect(await faults(withLogins(await database({ statements })))).toContainEqual(expect.stringMatching(wanted));
  });

  it('are named: a login for everything that is a superuser', async () => {
    expect(await faults(onDatabase(await database()))).toEqual([
      expect.stringMatching(/^warn DATABASE_URL: postgres bypasses row-level security/),
    ]);
  });

  it('are named: a role that bypasses row-level security, and one that may log in', async () => {
    await administer('alter role br_app bypassrls; alter role br_dispatch login');
    try {
      const found = await faults(withLogins(await database()));
      expect(found).toEqual([
        expect.stringMatching(/^FAIL roles: br_app bypasses row-level security; run: alter role br_app/),
        expect.stringMatching(/^warn roles: br_dispatch may log in/),
      ]);
    } finally {
      await administer('alter role br_app nobypassrls; alter role br_dispatch nologin');
    }
  });

  it('are named: an owner that may neither grant roles nor migrate', async () => {
    await administer(`create role plain_login login password 'CANARY-plain'`);
    const url = changed(await database({ template: 'template0', options: `encoding 'UTF8'` }), {
      username: 'plain_login',
      password: 'CANARY-plain',
    });
    expect(await faults(onDatabase(url))).toEqual([
      expect.stringMatching(
        /^FAIL DATABASE_URL: may not create roles; let an administrator run: grant br_owner to "?plain_login"?/,
      ),
      expect.stringMatching(/^FAIL DATABASE_URL: plain_login may not install extensions/),
      expect.stringMatching(/^FAIL DATABASE_URL: plain_login may not create tables/),
    ]);
  });

  it('are named: migrations that the start is told not to run', async () => {
    const url = await database({ template: 'template0', options: `encoding 'UTF8'` });
    expect(await faults(onDatabase(url, { MIGRATE_ON_START: 'off' }))).toContainEqual(
      expect.stringMatching(/^FAIL migrations: \d+ of \d+ are missing; run `npm run migrate`$/),
    );
    expect(await lines(onDatabase(url))).toContainEqual(
      expect.stringMatching(/^ok migrations: \d+ of \d+ are missing; the start applies them$/),
    );
  });
});

describe('an object store that is wrong', () => {
  let peer: S3Peer;
  beforeAll(async () => {
    peer = await S3Peer.start();
  });
  afterAll(() => peer.stop());

  it('is not a bucket that takes everything, in which nothing is left', async () => {
    const env = await peer.environment();
    expect(await lines(onDatabase('postgresql://postgres@127.0.0.1:1/nothing', env))).toContainEqual(
      expect.stringMatching(/^ok OBJECT_STORE_S3_BUCKET: bucket-\S+ takes, returns, lists and removes objects$/),
    );
    expect(await peer.keys(env.OBJECT_STORE_S3_BUCKET!)).toEqual([]);
    expect(await peer.uploads(env.OBJECT_STORE_S3_BUCKET!)).toEqual([]);
  });

  it.each<[string, () => Promise<Record<string, string>>, RegExp]>([
    [
      'the bucket does not exist',
      async () => ({ OBJECT_STORE_S3_BUCKET: 'no-such-bucket' }),
      /^FAIL OBJECT_STORE_S3_BUCKET: names a bucket that does not exist/,
    ],
    [
      'the access key is another',
      async () => ({ OBJECT_STORE_S3_ACCESS_KEY_ID: 'CANARY-other' }),
      /^FAIL OBJECT_STORE_S3_ACCESS_KEY_ID: is not known to the store/,
    ],
    [
      'nobody answers',
      async () => ({ OBJECT_STORE_S3_ENDPOINT: 'http://127.0.0.1:1' }),
      /^FAIL OBJECT_STORE_S3_ENDPOINT: cannot be reached \(\w+\)/,
    ],
    [
      'it accepts and is silent',
      async () => ({ OBJECT_STORE_S3_ENDPOINT: `http://127.0.0.1:${await silent()}` }),
      /^FAIL OBJECT_STORE_S3_ENDPOINT: does not answer/,
    ],
    [
      'another program answers',
      async () => ({
        OBJECT_STORE_S3_ENDPOINT: `http://127.0.0.1:${await listening((socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))}`,
      }),
      /^FAIL OBJECT_STORE_S3_ENDPOINT: gives an unexpected answer \(404/,
    ],
    [
      'the folder is a file',
      async () => ({ ...FOLDER, OBJECT_STORE_DIR: file }),
      /^FAIL OBJECT_STORE_DIR: \S+ is not a writable folder \((ENOTDIR|EEXIST)\)/,
    ],
    [
      'the folder would be below a file',
      async () => ({ ...FOLDER, OBJECT_STORE_DIR: join(file, 'below') }),
      /^FAIL OBJECT_STORE_DIR: \S+ is not a writable folder \(ENOTDIR\)/,
    ],
    [
      'the file system lets nobody write',
      async () => ({ ...FOLDER, OBJECT_STORE_DIR: '/proc/self' }),
      /^FAIL OBJECT_STORE_DIR: \/proc\/self is not a writable folder \(\w+\)/,
    ],
  ])('is named: %s', async (_, env, wanted) => {
    const sound = await peer.environment();
    const found = await faults(onDatabase('postgresql://postgres@127.0.0.1:1/nothing', { ...sound, ...(await env()) }));
    expect(found).toContainEqual(expect.stringMatching(wanted));
  });
});

const file = join(folder('doctor-file-'), 'file');
writeFileSync(file, '{');
/** Instead of the bucket. */
const FOLDER = Object.fromEntries(
  ['BUCKET', 'ENDPOINT', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'].map((name) => [`OBJECT_STORE_S3_${name}`, '']),
);

describe('a catalog, a port or a data folder that is wrong', () => {
  function catalogOf(change: (catalog: { version: number }) => void): string {
    const path = folder('doctor-catalog-');
    cpSync(join(import.meta.dirname, '../../../catalog'), path, { recursive: true });
    const catalog = JSON.parse(readFileSync(join(path, 'catalog.json'), 'utf8')) as { version: number };
    change(catalog);
    writeFileSync(join(path, 'catalog.json'), JSON.stringify(catalog));
    return path;
  }
  function withFile(name: string, text: string): string {
    const path = folder('doctor-folder-');
    writeFileSync(join(path, name), text);
    return path;
  }
  const published = async () => {
    const url = await database({
      statements: [
        `insert into catalog_revision (revision, version, catalog, instructions) values ('${'0'.repeat(64)}', 99, '{"version": 99, "profiles": []}', '{}')`,
      ],
    });
    return withLogins(url);
  };

  it.each<[string, () => Promise<Record<string, string>>, RegExp]>([
    ['no folder', async () => ({ CATALOG_DIR: '/nowhere' }), /^FAIL CATALOG_DIR: there is no folder \/nowhere$/],
    [
      'no JSON',
      async () => ({ CATALOG_DIR: withFile('catalog.json', '{') }),
      /^FAIL CATALOG_DIR: \S+ is not valid JSON$/,
    ],
    [
      'no catalog',
      async () => ({ CATALOG_DIR: folder('doctor-empty-') }),
      /^warn CATALOG_DIR: there is no catalog.json in/,
    ],
    [
      'an older catalog than the published one',
      async () => published(),
      /^warn CATALOG_DIR: version \d+ is older than the published 99 and is ignored$/,
    ],
    [
      'a changed catalog of the same version',
      async () => ({ ...(await published()), CATALOG_DIR: catalogOf((catalog) => (catalog.version = 99)) }),
      /^warn CATALOG_DIR: version 99 is published with other content/,
    ],
    ['a port that is taken', async () => ({ PORT: await silent() }), /^FAIL PORT: \d+ cannot be used \(EADDRINUSE\)/],
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
      async () => ({ DATA_DIR: withFile('capability-key', 'CANARY:CANARY'), DATABASE_URL: '', CAPABILITY_KEYS: '' }),
      /^FAIL DATA_DIR: \S+capability-key holds no usable value/,
    ],
    [
      'a data folder without its password',
      async () => ({ DATA_DIR: withoutPassword(), DATABASE_URL: '' }),
      /^FAIL DATA_DIR: \S+postgres-password is missing/,
    ],
  ])('is named: %s', async (_, env, wanted) => {
    const base = onDatabase('postgresql://postgres@127.0.0.1:1/nothing');
    expect(await faults({ ...base, ...(await env()) })).toContainEqual(expect.stringMatching(wanted));
  });

  function withoutPassword(): string {
    const path = folder('doctor-folder-');
    mkdirSync(join(path, 'postgres'));
    return path;
  }
});

describe('what the service asks outside', () => {
  let provider: OpenIdPeer;
  beforeAll(async () => {
    provider = await OpenIdPeer.start(await signingKey('ES256'));
  });
  afterAll(() => provider.stop());

  // Only a trial may have its provider on the same machine.
  const trial = () => ({ ...provider.environment(), DATA_DIR: folder('doctor-trial-'), PORT: '0' });

  it('is an OpenID provider whose keys can be read', async () => {
    expect(await lines(trial())).toContainEqual(`ok OIDC_ISSUER: the keys of ${provider.issuer} can be read`);
  });

  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'an issuer that is written otherwise',
      () => ({ OIDC_ISSUER: `${provider.issuer}/` }),
      /^warn OIDC_ISSUER: its tokens would be answered 503: .*set OIDC_ISSUER to exactly/,
    ],
    [
      'an authority that is not known',
      () => ({ EGRESS_LOCAL_CA_FILE: '' }),
      /^warn OIDC_ISSUER: its tokens would be answered 503: .*unreachable/,
    ],
    [
      'a file of authorities that holds none',
      () => ({ EGRESS_LOCAL_CA_FILE: file }),
      /^FAIL EGRESS_LOCAL_CA_FILE: holds no readable certificate/,
    ],
    [
      'an issuer without an audience',
      () => ({ OIDC_AUDIENCE: '' }),
      /^FAIL OIDC_AUDIENCE: is required when OIDC_ISSUER is set$/,
    ],
    [
      'a proxy that is away',
      () => ({ EGRESS_PROXY: 'http://runner:CANARY-proxy@127.0.0.1:1' }),
      /^FAIL EGRESS_PROXY: no proxy answers at 127.0.0.1:1/,
    ],
  ])('is named if it is wrong: %s', async (_, env, wanted) => {
    expect(await faults({ ...trial(), ...env() })).toContainEqual(expect.stringMatching(wanted));
  });
});
