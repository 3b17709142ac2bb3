import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../src/embedded/index.ts';

const PROGRAM = 'pgbouncer';
/** Debian installs it where only root looks for programs. */
const PATH = `${process.env.PATH}:/usr/sbin`;
/** PgBouncer refuses to run as root; this is the user `nobody`. */
const ACCOUNT = 65534;
const READY_LIMIT_MS = 5_000;

type PgBouncerSettings = Readonly<Record<string, string | number>>;

/** The settings that operators are given, but with few connections to the server, so that clients really share them. */
const SETTINGS: PgBouncerSettings = {
  ...settingsOf(readFileSync(new URL('../../../docs/operations/pgbouncer.ini', import.meta.url), 'utf8')),
  default_pool_size: 4,
  // Refuses a client that sends any start-up parameter of its own.
  ignore_startup_parameters: '',
};

/** Those of the section `[pgbouncer]`. */
function settingsOf(ini: string): PgBouncerSettings {
  const lines = ini.slice(ini.indexOf('[pgbouncer]')).split('\n');
  const pairs = lines.map((line) => /^(\w+) = ?(.*)$/.exec(line)).filter((pair) => pair !== null);
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, value!]));
}

/** A PgBouncer before a server of the tests: every login and database of the server can be reached through it. */
export class PgBouncer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'business-runner-pgbouncer-'));
  private readonly server: URL;
  private readonly port: number;
  private readonly settings: PgBouncerSettings;
  private readonly serverPort: string;
  private child: ChildProcess | undefined;

  private constructor(server: URL, serverPort: string, port: number, settings: PgBouncerSettings) {
    this.server = server;
    this.serverPort = serverPort;
    this.port = port;
    this.settings = settings;
  }

  /**
   * `settings` are those of its section `[pgbouncer]`. The logins are those that the server has by now. `port` is where
   * PgBouncer looks for the server, unless at its own port.
   */
  static async start(
    serverUrl: string,
    settings: PgBouncerSettings = {},
    { port = new URL(serverUrl).port }: { readonly port?: string } = {},
  ): Promise<PgBouncer> {
    if (spawnSync(PROGRAM, ['--version'], { env: { PATH } }).error)
      throw new Error('PgBouncer is not installed; run `apt-get install pgbouncer`.');
    const bouncer = new PgBouncer(new URL(serverUrl), port, await freePort(), { ...SETTINGS, ...settings });
    await bouncer.writeFiles();
    await bouncer.begin();
    return bouncer;
  }

  /** The same login and database through the pooler. */
  through(url: string): string {
    const address = new URL(url);
    address.hostname = '127.0.0.1';
    address.port = String(this.port);
    return address.href;
  }

  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** Runs a command of its console, e.g. `pause`. */
  async command(text: string): Promise<Record<string, unknown>[]> {
    const console = new URL(this.through(this.server.href));
    console.pathname = '/pgbouncer';
    const client = new pg.Client({ connectionString: console.href });
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  /** Starts it again at the same address after `end`. */
  async begin(): Promise<void> {
    const account = process.getuid!() === 0 ? [`--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, '--clear-groups'] : [];
    // Ends with its parent, however that dies.
    const prefix = ['setpriv', ...account, '--pdeathsig=KILL', '--'];
    const [program, ...args] = [...prefix, PROGRAM, '--quiet', this.configFile];
    const child = spawn(program, args, { stdio: 'ignore', cwd: '/', env: { PATH } });
    this.child = child;
    const deadline = performance.now() + READY_LIMIT_MS;
    while (!(await this.answers())) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`PgBouncer did not start: ${this.log}`);
      await wait(10);
    }
  }

  /** Ends it as an operator (`SIGTERM`: at once; `SIGINT`: when no client is in a transaction), or as a crash does. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get configFile(): string {
    return join(this.folder, 'pgbouncer.ini');
  }

  private get logFile(): string {
    return join(this.folder, 'pgbouncer.log');
  }

  /** The logins are copied as the server keeps them: with these, PgBouncer logs in by what its clients prove. */
  private async writeFiles(): Promise<void> {
    const { hostname, username } = this.server;
    const logins = await loginsOf(this.server.href);
    const users = join(this.folder, 'users.txt');
    const all: PgBouncerSettings = {
      ...this.settings,
      listen_port: this.port,
      auth_file: users,
      logfile: this.logFile,
      admin_users: username,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    const config = ['[databases]', `* = host=${hostname} port=${this.serverPort}`, '[pgbouncer]', ...lines, ''].join(
      '\n',
    );
    writeFileSync(this.configFile, config);
    writeFileSync(users, logins.map(({ name, secret }) => `"${name}" "${secret}"\n`).join(''), { mode: 0o600 });
    writeFileSync(this.logFile, '');
    if (process.getuid!() === 0)
      for (const path of [this.folder, this.configFile, users, this.logFile]) chownSync(path, ACCOUNT, ACCOUNT);
    chmodSync(this.folder, 0o700);
  }

  private async answers(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    const connected = once(socket, 'connect').then(
      () => true,
      () => false,
    );
    return connected.finally(() => socket.destroy());
  }
}

async function loginsOf(url: string): Promise<{ name: string; secret: string }[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select rolname as name, rolpassword as secret from pg_authid where rolcanlogin and rolpassword is not null`,
    );
    return rows as { name: string; secret: string }[];
  } finally {
    await client.end();
  }
}
