import { setTimeout as wait } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CompiledQuery, type Transaction } from 'kysely';
import type pg from 'pg';
import { asDispatch, asSubject, BOOTSTRAP, enter, enterCounted, enterNew } from './contexts.ts';
import { Database } from './database.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { sqlState } from './sql-state.ts';
import type { Statement } from './statement.ts';

/** Runs one statement on the transaction's connection. */
export type Run = <Row>(query: Statement<Row>) => Promise<Row[]>;

/** One write transaction: entities through `em`, hand-written statements through `rows`, both on the same connection. */
export interface Tx {
  readonly em: EntityManager;
  readonly rows: Run;
}

const MAX_ATTEMPTS = 5;
/** serialization_failure, deadlock_detected: the database undid everything and the same work may simply run again. */
const RETRYABLE = new Set(['40001', '40P01']);

/**
 * Write transactions in the three contexts: one organization, one subject's part of the directory, and (on the dispatch
 * role) across organizations; `owner` is for the tables' owner. The work may run again after a deadlock or a
 * serialization failure, so nothing may leave the process inside it.
 */
@Injectable()
export class Transactions {
  constructor(
    private readonly em: EntityManager,
    private readonly database: Database,
  ) {}

  /**
   * Writes in one organization; 404 `organization_not_found` when the subject does not belong to it, 409 while it is
   * being onboarded unless the write is one of those that onboarding permits.
   */
  async inOrganization<T>(
    subject: string,
    organizationId: string,
    work: (tx: Tx) => Promise<T>,
    { whileOnboarding = false } = {},
  ): Promise<T> {
    if (subject === BOOTSTRAP) await this.countUse(organizationId);
    return this.transact(async (tx) => {
      await tx.rows(asSubject(subject));
      const [entered] = await tx.rows(enter(subject, organizationId));
      if (!entered) throw new ApiError(EdgeErrors.organizationNotFound);
      if (entered.status === 'onboarding' && !whileOnboarding)
        throw new ApiError(EdgeErrors.stateConflict, { message: 'The organization is still being onboarded.' });
      return work(tx);
    });
  }

  /** On its own and before the work: a refused use is a use, and nobody waits for the work's end behind the counter. */
  private async countUse(organizationId: string): Promise<void> {
    await this.onPool(this.database.app, async (run) => {
      await run(asSubject(BOOTSTRAP));
      await run(enterCounted(organizationId));
    });
  }

  /** Writes the organization that the work creates under this id, and the subject's own part of the directory. */
  inNewOrganization<T>(subject: string, organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.transact(async (tx) => {
      await tx.rows(asSubject(subject));
      await tx.rows(enterNew(organizationId));
      return work(tx);
    });
  }

  /** Writes the subject's own part of the directory. */
  asSubject<T>(subject: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.transact(async (tx) => {
      await tx.rows(asSubject(subject));
      return work(tx);
    });
  }

  /** Works across organizations on what the dispatch role may touch. */
  dispatch<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.onPool(this.database.dispatch, async (run) => {
      await run(asDispatch());
      return work(run);
    });
  }

  /** Works as the tables' owner, on the direct connection: purge and partitions only. */
  owner<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.onPool(this.database.direct, work);
  }

  private transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return retrying(() =>
      this.em.fork().transactional((em) => {
        const connection = em.getTransactionContext() as Transaction<unknown>;
        const rows = async <Row>({ text, values }: Statement<Row>): Promise<Row[]> =>
          (await connection.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
        return work({ em, rows });
      }),
    );
  }

  private onPool<T>(pool: pg.Pool, work: (run: Run) => Promise<T>): Promise<T> {
    return retrying(async () => {
      const client = await pool.connect();
      let lost = false;
      try {
        await client.query('begin');
        const result = await work(
          async <Row>({ text, values }: Statement<Row>) => (await client.query(text, [...values])).rows as Row[],
        );
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => (lost = true));
        throw error;
      } finally {
        client.release(lost);
      }
    });
  }
}

/** Runs the work again after a deadlock or serialization failure, a bounded number of times, with growing jitter. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      await wait(Math.random() * 10 * 2 ** attempt);
    }
  }
}
