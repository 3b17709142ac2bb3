import pg from 'pg';
import { ConfigError, type DatabaseConfig } from '../../config/index.ts';
import type { Statement } from '../sql/index.ts';
import { databaseIdentity, heldRole, databaseNature, serverVersion } from './server.queries.ts';

const CONNECT_LIMIT_MS = 5_000;
/** Limit for a server that accepts connections and then hangs. */
const ANSWER_LIMIT_MS = 5_000;

/** The URL of a database login, and the setting that it comes from. */
export interface NamedUrl {
  readonly setting: string;
  readonly url: string;
}

export function namedUrls({ url, directUrl, dispatchUrl }: DatabaseUrls): {
  readonly app: NamedUrl;
  readonly direct: NamedUrl;
  readonly dispatch: NamedUrl;
} {
  const named = (own: string, given: string) => ({ setting: given === url ? 'DATABASE_URL' : own, url: given });
  return {
    app: { setting: 'DATABASE_URL', url },
    direct: named('DATABASE_DIRECT_URL', directUrl),
    dispatch: named('DATABASE_DISPATCH_URL', dispatchUrl),
  };
}

export type DatabaseUrls = Pick<DatabaseConfig, 'url' | 'directUrl' | 'dispatchUrl'>;

/** One connection beside the pools, to look at a server. Every failure names the setting whose URL it is. */
export class ServerConnection {
  private constructor(
    private readonly named: NamedUrl,
    readonly client: pg.Client,
  ) {}

  static async open(named: NamedUrl): Promise<ServerConnection> {
    const { setting, url } = named;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'business-runner-migrations',
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      keepAlive: true,
    });
    // A connection that is lost between two statements makes the next one fail; the event itself must not end the
    // process.
    client.on('error', () => undefined);
    await explainFailure(setting, () => client.connect());
    return new ServerConnection(named, client);
  }

  /** Opens a connection for `work` and closes it. */
  static async with<T>(named: NamedUrl, work: (connection: ServerConnection) => Promise<T>): Promise<T> {
    const connection = await ServerConnection.open(named);
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  get setting(): string {
    return this.named.setting;
  }

  get login(): string {
    return decodeURIComponent(new URL(this.named.url).username);
  }

  get database(): string {
    return decodeURIComponent(new URL(this.named.url).pathname.slice(1));
  }

  /** Runs a statement that needs no lock, so that it either answers at once or never; prepares it if it has a name. */
  async rows<Row>({ text, values }: Statement<Row>, name?: string): Promise<Row[]> {
    const query = { name, text, values: [...values], query_timeout: ANSWER_LIMIT_MS };
    return explainFailure(this.setting, async () => (await this.client.query(query)).rows as Row[]);
  }

  async row<Row>(statement: Statement<Row>, name?: string): Promise<Row> {
    return (await this.rows(statement, name))[0]!;
  }

  /** Opens another connection to the same URL for `work`. */
  beside<T>(work: (other: ServerConnection) => Promise<T>): Promise<T> {
    return ServerConnection.with(this.named, work);
  }

  /** The process that serves the connection, as the server told at its start. */
  get processId(): number {
    return (this.client as unknown as { processID: number }).processID;
  }

  get isEncrypted(): boolean {
    return (
      (this.client as unknown as { connection: { stream: { encrypted?: true } } }).connection.stream.encrypted ?? false
    );
  }

  async close(): Promise<void> {
    // A server that hangs does not confirm the end.
    await Promise.race([this.client.end(), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
  }

  refuse(problem: string): never {
    throw new ConfigError(this.setting, problem);
  }
}

const OLDEST_VERSION = 17;

export async function requireVersion(connection: ServerConnection): Promise<void> {
  const { server_version_num: number } = await connection.row(serverVersion());
  const version = Math.floor(Number(number) / 10_000);
  if (version < OLDEST_VERSION)
    connection.refuse(`needs PostgreSQL ${OLDEST_VERSION} or newer, but the server is ${version}`);
}

export async function requireUsable(connection: ServerConnection): Promise<void> {
  const { readOnly, encoding } = await connection.row(databaseNature());
  if (readOnly) connection.refuse('the server is a standby or only lets this login read; name the primary server');
  if (encoding !== 'UTF8')
    connection.refuse(`the encoding of the database is ${encoding}; create it with \`encoding 'UTF8'\``);
}

/** Refuses a URL that leads to another database than that of `first`. */
export async function requireSameDatabase(connection: ServerConnection, first: ServerConnection): Promise<void> {
  const [own, other] = [await connection.row(databaseIdentity()), await first.row(databaseIdentity())];
  if (own.identity !== other.identity)
    connection.refuse(`leads to another database than ${first.setting}; name the same one in both`);
}

/** Refuses a login that may not take the role of its connections: the service would start and then serve nothing. */
export async function requireRole(connection: ServerConnection, role: string, how: 'SET' | 'USAGE'): Promise<void> {
  if ((await connection.rows(heldRole(role, how))).length === 0)
    connection.refuse(`its login lacks the role ${role}; \`npm run migrate\` grants it, as an administrator`);
}

/** Refuses URLs that lead to different databases, before one of them is migrated. */
export async function requireOneDatabase(urls: DatabaseUrls): Promise<void> {
  const { app, direct, dispatch } = namedUrls(urls);
  const others = [app, dispatch].filter(
    ({ setting }, place) => setting !== direct.setting && (place === 0 || setting !== app.setting),
  );
  if (others.length === 0) return;
  await ServerConnection.with(direct, async (first) => {
    await requireVersion(first);
    for (const other of others)
      await ServerConnection.with(other, async (connection) => {
        await requireVersion(connection);
        await requireSameDatabase(connection, first);
      });
  });
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server answers at this address',
  ECONNRESET: 'the server at this address is not PostgreSQL, or closes the connection',
  ENOTFOUND: 'the host does not exist',
  ETIMEDOUT: 'no server answers at this address',
  '28P01': 'the server refuses the user or password',
  '28000': 'the server refuses the user or password',
  '3D000': 'the server does not have this database',
  '53300': 'the server has no free connection',
  '57P03': 'the server is still starting; try again',
  EAI_AGAIN: 'the host does not exist',
  EHOSTUNREACH: 'no server answers at this address',
  ENETUNREACH: 'no server answers at this address',
};

/** Problems of errors without a code, by their message. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/SASL authentication failed|no such user/, 'the server refuses the user or password'],
  [/database .* does not exist|no such database/, 'the server does not have this database'],
  [
    /unsupported startup parameter/,
    'the pooler refuses a start-up parameter of the URL; leave out `options`, `statement_timeout` and the like',
  ],
  [/no more connections allowed/, 'the pooler has no free connection'],
  [/query_wait_timeout|server login has been failing/, 'the pooler at this address does not reach its server'],
  [/client password must be/, 'the server requires a password; add it to the URL'],
  [/timeout/, 'no server answers at this address'],
  [/does not support SSL/, 'the server does not accept encrypted connections'],
  [/certificate/, 'the certificate of the server is not trusted'],
  [/Connection terminated/, 'the server at this address is not PostgreSQL, or closes the connection'],
];

/** Does what needs the server; turns a failure to reach or use it into an error that names the setting. */
async function explainFailure<T>(setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code, message } = error as { code?: unknown; message: string };
    const problem = UNREACHABLE[String(code)] ?? SAID.find(([pattern]) => pattern.test(message))?.[1];
    throw problem ? new ConfigError(setting, problem) : error;
  }
}
