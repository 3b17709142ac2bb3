import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';

/** What MikroORM may ask for outside a transaction: nothing, so that no connection is taken but by `Connections`. */
export const NO_CONNECTION = new PostgresDialect({
  pool: {
    options: {},
    connect: async () => {
      throw new Error('Entities are read and written inside `Transactions` only.');
    },
    end: async () => undefined,
  },
});

/**
 * An entity manager whose statements all run on a lent connection, in the transaction that is open on it. MikroORM's own
 * transactions are not used: they give a connection back only after a COMMIT or ROLLBACK that succeeded, so a backend that
 * is killed under one would cost its place in the pool for good.
 */
export function entitiesOn(entities: EntityManager, client: pg.PoolClient): EntityManager {
  const em = entities.fork();
  em.setTransactionContext(connectionOf(client));
  return em;
}

const known = new WeakMap<pg.PoolClient, Kysely<unknown>>();

/** Statements run in place; taking the client and giving it back is nobody's business here. */
function connectionOf(client: pg.PoolClient): Kysely<unknown> {
  let connection = known.get(client);
  if (!connection) {
    const lent = {
      query: client.query.bind(client),
      processID: (client as unknown as { processID: number }).processID,
      release: () => undefined,
    };
    const pool = { options: {}, connect: async () => lent, end: async () => undefined };
    connection = new Kysely({ dialect: new PostgresDialect({ pool }) });
    known.set(client, connection);
  }
  return connection;
}
