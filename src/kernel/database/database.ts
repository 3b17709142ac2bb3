import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../../config/index.ts';
import { valueTypes } from './value-types.ts';

/** The connection pools. `app` serves owners and agents, `dispatch` works across organizations, `direct` is the owner's. */
@Injectable()
export class Database implements OnApplicationShutdown {
  readonly app: pg.Pool;
  readonly dispatch: pg.Pool;
  readonly direct: pg.Pool;

  constructor(config: Config) {
    const { url, dispatchUrl, directUrl, poolSize } = config.database;
    this.app = pool(url, poolSize, ANSWER_LIMIT_MS);
    this.dispatch = dispatchUrl === url ? this.app : pool(dispatchUrl, Math.min(poolSize, 10), ANSWER_LIMIT_MS);
    // A batch of the purge or a partition's move may take longer.
    this.direct = pool(directUrl, 3, undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...new Set([this.app, this.dispatch, this.direct])].map((each) => each.end()));
  }
}

/** For a server that hangs: one that runs ends statements itself, after 10 s (`contexts.ts`). */
const ANSWER_LIMIT_MS = 15_000;

function pool(connectionString: string, max: number, queryTimeoutMs: number | undefined): pg.Pool {
  const created = new pg.Pool({
    connectionString,
    max,
    types: valueTypes,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    query_timeout: queryTimeoutMs,
    application_name: 'business-runner',
  });
  // An idle connection that the server drops must not end the process; whoever is using one gets the error.
  created.on('error', (error) => new Logger('Database').warn(`idle connection lost: ${error.message}`));
  created.on('connect', (client) => client.on('error', () => undefined));
  return created;
}
