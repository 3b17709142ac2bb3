import { ConfigError, type DatabaseConfig } from '../../config/index.ts';
import { sqlState, SqlState } from '../sql/index.ts';
import { namedUrls, ServerConnection } from './server-checks.ts';
import { backendPid } from './server.queries.ts';

/** What stands between a URL and its server, as far as the service depends on it. */
interface Pooling {
  /** For how long a client keeps its connection to the server; always the whole session without a pooler. */
  readonly per: 'session' | 'transaction' | 'statement';
  /** Whether statements that a connection prepared under a name are found by its next transaction. */
  readonly keepsNames: boolean;
}

const PER_SESSION: Pooling = { per: 'session', keepsNames: true };
/** One is enough on a pooler without other clients; they may take the connection that a round watches. */
const ROUNDS = 5;

/**
 * Finds out how a connection is pooled. Poolers make up the process ids that they tell, which a server does not. A second
 * connection then shows whether the same connection of the server serves both.
 */
export async function poolingOf(connection: ServerConnection): Promise<Pooling> {
  if ((await backendOf(connection)) === connection.processId) return PER_SESSION;
  return connection.beside(async (other) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const found = await meet(connection, other);
      if (found) return found;
    }
    return PER_SESSION;
  });
}

/** Refuses a pooler that lends connections per transaction: notifications and session locks would get lost. */
export async function requireDirect(connection: ServerConnection): Promise<void> {
  if ((await poolingOf(connection)).per === 'session') return;
  const remedy =
    connection.setting === 'DATABASE_DIRECT_URL'
      ? 'name the server itself'
      : 'set DATABASE_DIRECT_URL to the server itself, for notifications and migrations';
  connection.refuse(`goes through a pooler that lends connections per transaction; ${remedy}`);
}

/** Refuses a pooler that takes no transactions, or that loses named statements where they are on. */
export async function requireTransactions(
  connection: ServerConnection,
  { prepared }: Pick<DatabaseConfig, 'prepared'>,
): Promise<void> {
  const { per, keepsNames } = await poolingOf(connection);
  if (per === 'statement') connection.refuse('its pooler refuses transactions; set its mode to `transaction`');
  if (!prepared || keepsNames) return;
  throw new ConfigError(
    'DATABASE_PREPARED',
    `is on, but the pooler of ${connection.setting} loses named statements; set it to off, or use PgBouncer 1.21 or newer with max_prepared_statements`,
  );
}

/** Refuses poolers of the application's URLs that it cannot work through. */
export async function requirePools(config: DatabaseConfig): Promise<void> {
  const { app, direct, dispatch } = namedUrls(config);
  const distinct = new Map([app, dispatch].map((named) => [named.setting, named]));
  distinct.delete(direct.setting);
  for (const named of distinct.values())
    await ServerConnection.with(named, (connection) => requireTransactions(connection, config));
}

/**
 * Lets both run the same named statement while the other one is in a transaction. If that is served by the connection of
 * the server that served the first one before, or the first one by another one now, then transactions are pooled.
 * Undefined if neither shows.
 */
async function meet(one: ServerConnection, other: ServerConnection): Promise<Pooling | undefined> {
  try {
    const before = await backendOf(one, NAME);
    if (!(await begins(other))) return { per: 'statement', keepsNames: false };
    const isPooled = before === (await backendOf(other, NAME)) || before !== (await backendOf(one, NAME));
    return isPooled ? { per: 'transaction', keepsNames: true } : undefined;
  } catch (error) {
    if (LOST_NAMES.has(sqlState(error) ?? '')) return { per: 'transaction', keepsNames: false };
    throw error;
  } finally {
    await other.client.query('rollback').catch(() => undefined);
  }
}

const NAME = 'business_runner_pooling';
const LOST_NAMES = new Set<string>([SqlState.noSuchStatement, SqlState.duplicateStatement]);

async function backendOf(connection: ServerConnection, name?: string): Promise<number> {
  return (await connection.row(backendPid(), name)).pid;
}

/** False if the pooler ends the connection, as one does that lends it per statement. */
async function begins({ client }: ServerConnection): Promise<boolean> {
  return client.query('begin').then(
    () => true,
    () => false,
  );
}
