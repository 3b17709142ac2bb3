import { type DatabaseConfig, isLoopback } from '../config/index.ts';
import {
  appliedMigrations,
  backendPid,
  EXTENSIONS,
  missingGrants,
  namedUrls,
  requireDirect,
  requireSameDatabase,
  requireTransactions,
  requireUsable,
  requireVersion,
  ServerConnection,
} from '../kernel/database/index.ts';
import { administratorsSql, missingRoles } from '../kernel/tenancy/index.ts';
import * as queries from './doctor.queries.ts';
import { fail, failure, type Finding, ok, warn } from './finding.ts';

/** The database through each URL; the same connection where URLs are the same. */
export interface Connections {
  readonly app: ServerConnection;
  readonly direct: ServerConnection;
  readonly dispatch: ServerConnection;
}

interface Look extends Connections {
  readonly config: DatabaseConfig;
  /** Names of this build's migrations, in order. */
  readonly known: readonly string[];
  /** Undefined if the login may not read them, because the tables are another's. */
  readonly applied: readonly string[] | undefined;
}

/**
 * Reaches the database through every URL and runs `more` while the connections are open; yields what it finds. Stops
 * after the first stage that failed, because later ones would only repeat it.
 */
export async function* checkDatabase(
  config: DatabaseConfig,
  known: readonly string[],
  more: (connections: Connections) => AsyncGenerator<Finding>,
): AsyncGenerator<Finding> {
  const opened = new Map<string, ServerConnection>();
  try {
    let isReached = true;
    const { app, direct, dispatch } = namedUrls(config);
    const distinct = new Map([direct, app, dispatch].map((named) => [named.setting, named]));
    for (const named of distinct.values()) {
      try {
        const connection = await ServerConnection.open(named);
        opened.set(named.setting, connection);
        yield* checkServer(connection, named.url);
      } catch (error) {
        isReached = false;
        yield failure(named.setting, error);
      }
    }
    if (!isReached) return;
    const [first, ...others] = [...opened.values()];
    const strangers = await differing(first!, others);
    yield* strangers;
    if (strangers.length > 0) return;
    const connections = {
      app: opened.get(app.setting)!,
      direct: opened.get(direct.setting)!,
      dispatch: opened.get(dispatch.setting)!,
    };
    const applied = await appliedMigrations(connections.direct).catch(() => undefined);
    const look = { ...connections, config, known, applied };
    for (const [about, check] of CHECKS) yield* findings(about(look), () => check(look));
    if (known.every((name) => applied?.includes(name))) yield* more(connections);
  } finally {
    await Promise.all([...opened.values()].map((connection) => connection.close()));
  }
}

/** Findings about connections that lead to another database than the first. */
async function differing(first: ServerConnection, others: readonly ServerConnection[]): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const other of others) {
    try {
      await requireSameDatabase(other, first);
    } catch (error) {
      found.push(failure(other.setting, error));
    }
  }
  return found;
}

/** What one connection shows: the version, and whether the way to it is encrypted. */
async function* checkServer(connection: ServerConnection, url: string): AsyncGenerator<Finding> {
  await requireVersion(connection);
  const { hostname, host, pathname, username, searchParams } = new URL(url);
  const shown = `${decodeURIComponent(username)}@${host}${pathname}`;
  if (connection.isEncrypted || isLoopback(hostname) || hostname === '' || searchParams.has('host'))
    yield ok(connection.setting, `reaches ${shown}`);
  else
    yield warn(
      connection.setting,
      `reaches ${shown} unencrypted; add ?sslmode=verify-full unless the network is yours alone`,
    );
}

type Check = (look: Look) => Promise<Finding | readonly Finding[] | void>;

/** What a check finds; nothing is found where nothing is worth a line. */
async function* findings(about: string, check: () => ReturnType<Check>): AsyncGenerator<Finding> {
  try {
    yield* [(await check()) ?? []].flat();
  } catch (error) {
    yield failure(about, error);
  }
}

const CHECKS: readonly (readonly [about: (look: Look) => string, check: Check])[] = [
  [({ direct }) => direct.setting, ({ direct }) => requireUsable(direct)],
  [({ direct }) => direct.setting, ({ direct }) => requireDirect(direct)],
  [() => 'DATABASE_PREPARED', checkPrepared],
  [() => 'roles', checkRoles],
  [() => 'DATABASE_URL', checkLogin],
  [() => 'row-level security', checkTables],
  [() => 'extensions', checkExtensions],
  [() => 'migrations', checkMigrations],
  [() => 'DATABASE_POOL_SIZE', checkCapacity],
  [() => 'durability', checkDurability],
  [() => 'clock', checkClock],
];

async function checkPrepared({ app, config }: Look): Promise<Finding | void> {
  const { pid } = await app.row(backendPid());
  if (pid === app.processId) return;
  await requireTransactions(app, config);
  if (config.prepared) return ok('DATABASE_PREPARED', 'the pooler keeps named statements');
}

async function checkRoles({ app, direct, dispatch, config }: Look): Promise<Finding | readonly Finding[]> {
  const strange = (await direct.rows(queries.strangeRoles())).map(({ role, bypasses }) =>
    bypasses
      ? fail('roles', `${role} bypasses row-level security; run: alter role ${role} nosuperuser nobypassrls;`)
      : warn('roles', `${role} may log in, which it need not; run: alter role ${role} nologin;`),
  );
  const missing = await missingRoles(direct.client, { app: app.login, dispatch: dispatch.login });
  if (missing.length === 0)
    return [
      ...strange,
      ...(strange.length > 0 ? [] : [ok('roles', 'br_app, br_dispatch and br_owner exist and are granted')]),
    ];
  const { grantsRoles } = await direct.row(queries.loginRights());
  if (!grantsRoles) return [...strange, fail(direct.setting, administratorsSql('roles', missing))];
  return config.migrateOnStart
    ? [...strange, ok('roles', 'roles or grants are missing; the start makes them')]
    : [...strange, fail('roles', 'roles or grants are missing; run `npm run migrate`, which makes them')];
}

async function checkLogin({ app, direct }: Look): Promise<Finding> {
  const { login, bypasses } = await app.row(queries.loginRights());
  if (bypasses)
    return warn(
      'DATABASE_URL',
      `${login} bypasses row-level security until it takes a role; give the API a login that is no superuser`,
    );
  return app === direct
    ? ok('DATABASE_URL', `${login} is no superuser; it also owns the tables, which two logins would separate`)
    : ok('DATABASE_URL', `${login} is held by row-level security and does not own the tables`);
}

async function checkTables({ direct, applied }: Look): Promise<readonly Finding[]> {
  if (applied?.length === 0) return [];
  const foreign = await direct.rows(queries.foreignTables());
  const open = await direct.rows(queries.openTables());
  const found = [
    ...foreign
      .slice(0, 1)
      .map(({ table, owner }) =>
        fail(
          direct.setting,
          `its login does not own ${counted(foreign.length, 'table')}, such as ${table}; as ${owner}, run: alter table ${table} owner to ${direct.login};`,
        ),
      ),
    ...open.map(({ table }) =>
      fail(
        'row-level security',
        `is off for ${table}; run: alter table ${table} enable row level security, force row level security;`,
      ),
    ),
  ];
  return found.length > 0 ? found : [ok('row-level security', 'is forced on every table that has policies')];
}

async function checkExtensions({ direct, known, applied }: Look): Promise<Finding> {
  const found = await direct.rows(queries.extensions(EXTENSIONS));
  const absent = EXTENSIONS.filter((name) => !found.some((each) => each.name === name));
  if (absent.length > 0)
    return fail(
      'extensions',
      `the server does not offer ${absent.join(' and ')}; install PostgreSQL's contrib package`,
    );
  const missing = found.filter(({ installed }) => !installed).map(({ name }) => name);
  if (missing.length === 0) return ok('extensions', `${EXTENSIONS.join(' and ')} are installed`);
  if (known.every((name) => applied?.includes(name)))
    return fail('extensions', missing.map((name) => `${name} was removed; run: create extension ${name};`).join(' '));
  return ok('extensions', `the migrations install ${missing.join(' and ')}`);
}

async function checkMigrations({ direct, config, known, applied }: Look): Promise<readonly Finding[]> {
  if (!applied) return [];
  const missing = known.filter((name) => !applied.includes(name));
  const newer = applied.filter((name) => !known.includes(name));
  const broken = await direct.rows(queries.invalidIndexes());
  const grants = (await direct.rows(missingGrants(EXTENSIONS))).map(({ grant }) => grant);
  const found: Finding[] = [];
  if (missing.length > 0 && grants.length > 0) found.push(fail(direct.setting, administratorsSql('tables', grants)));
  else if (missing.length > 0)
    found.push(
      config.migrateOnStart
        ? ok('migrations', `${missing.length} of ${known.length} are missing; the start applies them`)
        : fail('migrations', `${missing.length} of ${known.length} are missing; run \`npm run migrate\``),
    );
  if (newer.length > 0)
    found.push(
      warn(
        'migrations',
        `the database has ${newer.length} of a newer release, such as ${newer.at(-1)}; upgrade this one`,
      ),
    );
  for (const { index } of broken)
    found.push(
      warn(
        'migrations',
        `the index ${index} is incomplete; the next start with missing migrations repeats it, or run: reindex index concurrently ${index};`,
      ),
    );
  return found.length > 0 ? found : [ok('migrations', `all ${known.length} are applied`)];
}

/** Connections of one process beside its pool. */
const BESIDE_POOL = 6;

async function checkCapacity({ app, direct, dispatch, config }: Look): Promise<Finding> {
  const needed = (app === dispatch ? 1 : 2) * config.poolSize + BESIDE_POOL;
  const { connectionLimit } = await app.row(queries.loginRights());
  const { allowed, used, databaseLimit } = await direct.row(queries.capacity());
  const isPooled = (await app.row(backendPid())).pid !== app.processId;
  if (isPooled) return ok('DATABASE_POOL_SIZE', `up to ${config.poolSize} connections of a process go to the pooler`);
  const limits = [allowed, connectionLimit, databaseLimit].filter((limit) => limit >= 0);
  const limit = Math.min(...limits);
  if (limit < needed)
    return fail(
      'DATABASE_POOL_SIZE',
      `one process opens up to ${needed} connections, but the server allows ${limit}; lower it or raise max_connections`,
    );
  const processes = Math.floor(limit / needed);
  const free = limit - used;
  return free < needed
    ? warn(
        'DATABASE_POOL_SIZE',
        `one process opens up to ${needed} connections, but only ${free} of ${limit} are free now; lower it or raise max_connections`,
      )
    : ok(
        'DATABASE_POOL_SIZE',
        `one process opens up to ${needed} connections, the server has room for ${processes} such processes`,
      );
}

async function checkDurability({ app }: Look): Promise<Finding> {
  const off = (await app.rows(queries.durability())).map(({ setting }) => setting);
  return off.length > 0
    ? warn('durability', `${off.join(', ')} of the server: off; a crash loses acknowledged work; set to on`)
    : ok('durability', 'the server keeps what it has acknowledged');
}

const SKEW_LIMIT_MS = 2_000;

/** Leases run by the clock of the database; logs, object stores and certificates by that of the machine. */
async function checkClock({ direct }: Look): Promise<Finding> {
  const before = Date.now();
  const serverMs = Number((await direct.row(queries.serverTime())).epochMs);
  const skewMs = serverMs < before ? before - serverMs : Math.max(0, serverMs - Date.now());
  return skewMs > SKEW_LIMIT_MS
    ? warn('clock', `differs from that of the database by ${Math.round(skewMs / 1_000)} s; synchronise both by NTP`)
    : ok('clock', 'agrees with that of the database');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
