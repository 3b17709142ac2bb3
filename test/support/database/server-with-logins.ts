import pg from 'pg';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/index.ts';
import { migrate } from '../../../src/kernel/database/index.ts';
import { ormOptions } from '../../../src/mikro-orm.config.ts';
import { newFolder } from '../folders.ts';
import { onDatabase } from '../processes/service-process.ts';

const TEMPLATE = 'template_logins';

/**
 * A server with a login for each purpose of a deployment, and a migrated database of theirs: for tests of what belongs
 * to a whole server, such as roles.
 */
export class ServerWithLogins {
  private made = 0;

  private constructor(private readonly server: EmbeddedServer) {}

  /** Each new database costs a second where `fsync` is on. */
  static async start({ fsync = 'off' }: { readonly fsync?: 'on' | 'off' } = {}): Promise<ServerWithLogins> {
    const dataDir = newFolder('server-with-logins');
    const server = new ServerWithLogins(
      await startEmbeddedServer({ dataDir, database: TEMPLATE, settings: { fsync } }),
    );
    await server.administer(`
      create role owner_login login createrole password 'CANARY-owner';
      create role api_login login password 'CANARY-api';
      create role dispatch_login login password 'CANARY-dispatch';
      alter database ${TEMPLATE} owner to owner_login`);
    await migrate(ormOptions, {
      url: server.as('api_login'),
      directUrl: server.as('owner_login'),
      dispatchUrl: server.as('dispatch_login'),
    });
    return server;
  }

  /** The superuser's, of the migrated database. */
  get url(): string {
    return this.server.url;
  }

  /** The address for a login of these tests. */
  as(username: string, url = this.url): string {
    return changed(url, { username, password: `CANARY-${username.split('_')[0]}` });
  }

  async administer(statement: string, url = this.url): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  /** A migrated database, changed by the statements, in which THIS is its name; the URL is the superuser's. */
  async database(...statements: readonly string[]): Promise<string> {
    return this.create(`template ${TEMPLATE}`, statements);
  }

  async emptyDatabase(): Promise<string> {
    return this.create(`template template0 encoding 'UTF8'`);
  }

  /** The environment of a deployment with its three logins. */
  deployment(url = this.url, env: Readonly<Record<string, string>> = {}): Record<string, string> {
    return onDatabase(this.as('api_login', url), {
      DATABASE_DIRECT_URL: this.as('owner_login', url),
      DATABASE_DISPATCH_URL: this.as('dispatch_login', url),
      PORT: '0',
      ...env,
    });
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private async create(options: string, statements: readonly string[] = []): Promise<string> {
    const name = `of_logins_${(this.made += 1)}`;
    await this.administer(`create database ${name} ${options}`, changed(this.url, { pathname: '/postgres' }));
    const url = changed(this.url, { pathname: `/${name}` });
    for (const statement of statements) await this.administer(statement.replaceAll('THIS', name), url);
    return url;
  }
}

function changed(url: string, changes: Partial<URL>): string {
  return Object.assign(new URL(url), changes).href;
}
