import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CompiledQuery, type Transaction } from 'kysely';
import type pg from 'pg';
import { Config } from '../../config/index.ts';
import { Batch, type Result, roundTrip } from './batch.ts';
import {
  admitWrite,
  asDispatch,
  asSubject,
  BOOTSTRAP,
  enter,
  enterCounted,
  type Entry,
  ownerWriteEntry,
  type Planning,
  sharing,
  type WriteOptions,
} from './contexts.ts';
import { Database } from './database.ts';
import { MicroBatch } from './micro-batch.ts';
import { ApiError, EdgeErrors, type ErrorRow } from '../errors/index.ts';
import { sqlState, SqlState } from './sql-state.ts';
import { preparedName, type Statement, statement } from './statement.ts';

/** Runs one statement on the transaction's connection. */
export type Run = <Row>(query: Statement<Row>) => Promise<Row[]>;

/** One write transaction of hand-written statements. */
export interface Tx {
  readonly rows: Run;
  /** Runs statements in this order, of which none needs another's rows, in as few round trips as there may be; one list of rows each. */
  batch(statements: readonly Statement[]): Promise<unknown[][]>;
  /** Runs once the transaction has committed, and not if it does not: what tells others of its outcome. */
  afterCommit(work: () => void): void;
}

/** One that also works on entities, on the same connection. */
export interface EntityTx extends Tx {
  readonly em: EntityManager;
}

/** Calls of one kind that share transactions across organizations. */
export interface SharedCalls<Call, Row extends Placed> {
  /** The rows that a call moves, by id; a transaction holds at most one call for each. */
  readonly keysOf: (call: Call) => readonly string[];
  /** Statements for all of the calls, in the order of all locks; the last one's rows are the answers. */
  readonly statements: (calls: readonly Call[]) => readonly [...Statement[], Statement<Row>];
  /** So long transactions of few calls lie apart at least, where nobody waits for the answer; 0 unless said. */
  readonly restMs?: number;
}

/** Answers a call; undefined where it moved nothing. */
export type Shared<Call, Row> = MicroBatch<Call, Row | undefined>;

export interface Placed {
  /** Which call a row answers, counted from 1. */
  readonly place: number;
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
    work: (tx: EntityTx) => Promise<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    if (subject === BOOTSTRAP) await this.countUse(organizationId);
    return this.transact(async (tx) => {
      await tx.rows(asSubject(subject));
      const [entered] = await tx.rows(enter(subject, organizationId));
      if (!entered) throw new ApiError(EdgeErrors.organizationNotFound);
      admitWrite(entered, options);
      return work(tx);
    });
  }

  /** The same for hand-written statements alone: entering is one round trip, and so is a batch of them. */
  async statementsInOrganization<T>(
    subject: string,
    organizationId: string,
    work: (tx: Tx) => Promise<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    if (subject === BOOTSTRAP) await this.countUse(organizationId);
    return this.through(ownerWriteEntry(subject, organizationId, options), work);
  }

  /** On its own and before the work: a refused use is a use, and nobody waits for the work's end behind the counter. */
  private async countUse(organizationId: string): Promise<void> {
    const counted = [asSubject(BOOTSTRAP), enterCounted(organizationId)];
    await retrying(() => roundTrip(this.database.app, counted, this.batches));
  }

  /** Writes in the organization that an entry leads into; entering is one round trip. */
  through<T>(entry: Entry, work: (tx: Tx) => Promise<T>): Promise<T> {
    const committed: (() => void)[] = [];
    const written = this.onPool(this.database.app, [BEGIN, ...entry.statements], async (client, [, ...sets]) => {
      committed.length = 0;
      entry.admit(sets);
      return work({
        rows: async <Row>(query: Statement<Row>) => (await client.query(this.named(query))).rows as Row[],
        batch: async (statements) => rowsOf(await Batch.run(client, statements, this.batches)),
        afterCommit: (told) => committed.push(told),
      });
    });
    return written.then(
      async (result) => {
        await tellAll(committed);
        return result;
      },
      (error: unknown) => missingReference(error, entry),
    );
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
    const sets = rowsOf(results);
    entry.admit(sets);
    return sets.slice(entry.statements.length);
  }

  /** The hot form on the dispatch role: one round trip and one commit. */
  async dispatchBatch(statements: readonly Statement[], planning: Planning = {}): Promise<unknown[][]> {
    const all = [asDispatch(planning), ...statements];
    const [, ...results] = await retrying(() => roundTrip(this.database.dispatch, all, this.batches));
    return rowsOf(results);
  }

  /**
   * The hot form for many callers at once, on the dispatch role: calls that arrive together are one round trip and one
   * commit. The statements match every row by organization and id, and by token where there is one. A call whose row is
   * not among the answers moved nothing. `gone` is the answer where an organization was purged meanwhile.
   */
  shared<Call, Row extends Placed>(
    { keysOf, statements, restMs = 0 }: SharedCalls<Call, Row>,
    gone: ErrorRow,
  ): Shared<Call, Row> {
    return new MicroBatch<Call, Row | undefined>({
      keysOf,
      restMs,
      undone: (error) => sqlState(error) !== undefined,
      send: async (calls) => {
        const all = [sharing({ alone: calls.length === 1 }), ...statements(calls)];
        const sets = await retrying(() => roundTrip(this.database.dispatch, all, this.batches)).catch(
          (error: unknown) => {
            throw calls.length === 1 && sqlState(error) === SqlState.foreignKeyViolation ? new ApiError(gone) : error;
          },
        );
        const answers = new Map((sets.at(-1)!.rows as Row[]).map((row) => [row.place, row]));
        return calls.map((_, index) => answers.get(index + 1));
      },
    });
  }

  /** Writes the organization that the work creates under this id, and the subject's own part of the directory. */
  inNewOrganization<T>(subject: string, organizationId: string, work: (tx: EntityTx) => Promise<T>): Promise<T> {
    return this.transact(async (tx) => {
      await tx.rows(asSubject(subject, organizationId));
      return work(tx);
    });
  }

  /** Writes the subject's own part of the directory. */
  asSubject<T>(subject: string, work: (tx: EntityTx) => Promise<T>): Promise<T> {
    return this.transact(async (tx) => {
      await tx.rows(asSubject(subject));
      return work(tx);
    });
  }

  /** Works across organizations on what the dispatch role may touch. */
  dispatch<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.onPool(this.database.dispatch, [BEGIN, asDispatch()], (client) => work(runOn(client)));
  }

  /** Works as the tables' owner, on the direct connection: purge and partitions only. */
  owner<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return this.onPool(this.database.direct, [BEGIN], (client) => work(runOn(client)));
  }

  private transact<T>(work: (tx: EntityTx) => Promise<T>): Promise<T> {
    return retrying(async () => {
      const committed: (() => void)[] = [];
      const result = await this.em.fork().transactional((em) => {
        const connection = em.getTransactionContext() as Transaction<unknown>;
        const rows = async <Row>({ text, values }: Statement<Row>): Promise<Row[]> =>
          (await connection.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
        const batch = async (statements: readonly Statement[]) => {
          const sets: unknown[][] = [];
          for (const each of statements) sets.push(await rows(each));
          return sets;
        };
        return work({ em, rows, batch, afterCommit: (told) => committed.push(told) });
      });
      await tellAll(committed);
      return result;
    });
  }

  /** The opening statements, which begin the transaction, are one round trip. */
  private onPool<T>(
    pool: pg.Pool,
    opening: readonly Statement[],
    work: (client: pg.PoolClient, sets: unknown[][]) => Promise<T>,
  ): Promise<T> {
    return retrying(async () => {
      const client = await pool.connect();
      let lost = false;
      try {
        const opened = await Batch.run(client, opening, this.batches);
        const result = await work(client, rowsOf(opened));
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

  /** Planned once a connection, where the deployment lets statements have names. */
  private named({ text, values }: Statement): pg.QueryConfig {
    return { ...(this.batches.prepared ? { name: preparedName(text) } : {}), text, values: [...values] };
  }
}

const BEGIN = statement('begin');

/**
 * Tells of a commit. Those who were told go on first: a claim that waits for the work would else send its statement behind
 * the answer to whoever made it (measured: half a millisecond of three).
 */
async function tellAll(committed: readonly (() => void)[]): Promise<void> {
  if (committed.length === 0) return;
  for (const tell of committed) tell();
  await immediate();
}

function runOn(client: pg.PoolClient): Run {
  return async <Row>({ text, values }: Statement<Row>) => (await client.query(text, [...values])).rows as Row[];
}

function rowsOf(results: readonly Result[]): unknown[][] {
  return results.map(({ rows }) => rows);
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
