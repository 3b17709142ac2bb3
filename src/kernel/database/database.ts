import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Config } from '../../config/index.ts';
import { valueTypes } from './value-types.ts';

/** A `pg` option since 8.23 that the type declarations do not know yet: statements are sent without awaiting the one before. */
type PipelinedPoolConfig = pg.PoolConfig & { pipeline: true };

/** The connection pools. `app` serves owners and agents, `dispatch` works across organizations, `direct` is the owner's. */
@Injectable()
export class Database implements OnApplicationShutdown {
  readonly app: pg.Pool;
  readonly dispatch: pg.Pool;
  readonly direct: pg.Pool;

  constructor(config: Config) {
    const { url, dispatchUrl, directUrl, poolSize } = config.database;
    this.app = pool(url, poolSize);
    this.dispatch = dispatchUrl === url ? this.app : pool(dispatchUrl, Math.min(poolSize, 5));
    this.direct = pool(directUrl, 3);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...new Set([this.app, this.dispatch, this.direct])].map((each) => each.end()));
  }
}

function pool(connectionString: string, max: number): pg.Pool {
  const options: PipelinedPoolConfig = {
    connectionString,
    max,
    pipeline: true,
    types: valueTypes,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5_000,
    application_name: 'business-runner',
  };
  const created = new pg.Pool(options);
  // An idle connection that the server drops must not end the process; whoever is using one gets the error.
  created.on('error', (error) => new Logger('Database').warn(`idle connection lost: ${error.message}`));
  created.on('connect', (client) => client.on('error', () => undefined));
  return created;
}
