import { setTimeout as wait } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CompiledQuery, type Transaction } from 'kysely';
import type pg from 'pg';
import { Config } from '../../config/index.ts';
import { roundTrip } from './batch.ts';
import { asDispatch, asSubject, BOOTSTRAP, enter, enterCounted, enterNew, type Entry } from './contexts.ts';
import { Database } from './database.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { sqlState, SqlState } from './sql-state.ts';
import type { Statement } from './statement.ts';

/** Runs one statement on the transaction's connection. */
export type Run = <Row>(query: Statement<Row>) => Promise<Row[]>;

/** One write transaction: entities through `em`, hand-written statements through `rows`, both on the same connection. */
export interface Tx {
  readonly em: EntityManager;
  readonly rows: Run;
  /** Runs once the transaction has committed, and not if it does not: what tells others of its outcome. */
  afterCommit(work: () => void): void;
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
  private readonly batches: { readonly prepared: boolean };

  constructor(
    private readonly em: EntityManager,
    private readonly database: Database,
    config: Config,
  ) {
    this.batches = config.database;
  }

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

  /** Writes in the organization that an entry leads into. */
  through<T>(entry: Entry, work: (tx: Tx) => Promise<T>): Promise<T> {
    const written = this.transact(async (tx) => {
      const sets: unknown[][] = [];
      for (const each of entry.statements) sets.push(await tx.rows(each));
      entry.admit(sets);
      return work(tx);
    });
    return written.catch((error: unknown) => missingReference(error, entry));
  }

  /**
   * The hot form: the entry's statements and these are one round trip and one commit. Nobody looks in between, so the
   * statements themselves decide; behind a refused entry they find no row, since the transaction is in no organization.
   */
  async batch(entry: Entry, statements: readonly Statement[]): Promise<unknown[][]> {
    const all = [...entry.statements, ...statements];
    const results = await retrying(() => roundTrip(this.database.app, all, this.batches)).catch((error: unknown) =>
      missingReference(error, entry),
    );
    const sets = results.map(({ rows }) => rows as unknown[]);
    entry.admit(sets);
    return sets.slice(entry.statements.length);
  }

  /** The hot form on the dispatch role: one round trip and one commit. */
  async dispatchBatch(statements: readonly Statement[]): Promise<unknown[][]> {
    const all = [asDispatch(), ...statements];
    const [, ...results] = await retrying(() => roundTrip(this.database.dispatch, all, this.batches));
    return results.map(({ rows }) => rows as unknown[]);
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
    return retrying(async () => {
      const committed: (() => void)[] = [];
      const result = await this.em.fork().transactional((em) => {
        const connection = em.getTransactionContext() as Transaction<unknown>;
        const rows = async <Row>({ text, values }: Statement<Row>): Promise<Row[]> =>
          (await connection.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
        return work({ em, rows, afterCommit: (told) => committed.push(told) });
      });
      for (const tell of committed) tell();
      return result;
    });
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

function missingReference(error: unknown, { gone }: Entry): never {
  throw sqlState(error) === SqlState.foreignKeyViolation ? new ApiError(gone) : error;
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
