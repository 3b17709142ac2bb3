import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';

/** Refuses MikroORM a connection outside a transaction, so that only `Connections` lends them. */
export const NO_CONNECTION = new PostgresDialect({
  pool: {
    options: {},
    connect: async () => {
      throw new Error('Entities can be read and written only inside `Transactions`.');
    },
    end: async () => undefined,
  },
});

/**
 * Makes an entity manager whose statements all run on a lent connection, in the transaction that is open on it. Does
 * not use MikroORM's own transactions, which give a connection back only after a successful COMMIT or ROLLBACK, so that
 * a backend killed in one would cost its place in the pool for good.
 */
export function entitiesOn(entities: EntityManager, client: pg.PoolClient): EntityManager {
  const em = entities.fork();
  em.setTransactionContext(connectionOf(client));
  return em;
}

const known = new WeakMap<pg.PoolClient, Kysely<unknown>>();

/** Wraps the lent client for MikroORM, which neither takes nor releases connections itself. */
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
