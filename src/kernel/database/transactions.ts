import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Batch, type Result } from './batch.ts';
import {
  admitOwner,
  admitWrite,
  asDispatch,
  asSubject,
  BOOTSTRAP,
  enter,
  enterCounted,
  type EnteredOrganization,
  type Entrant,
  type OrganizationAccess,
  ownerWriteAccess,
  type Planning,
  requireContext,
  requireOpen,
  sharing,
  type WriteOptions,
} from '../tenancy/index.ts';
import type { Login } from './connections.ts';
import { Database } from './database.ts';
import { referenceMissing } from './database-errors.ts';
import { entitiesOn } from './entity-connection.ts';
import { FOR_ALL, type Line } from '../admission/index.ts';
import { MicroBatch } from './micro-batch.ts';
import type { EntityTx, Execute, StatementTx, Tx } from './tx.ts';
import { ApiError, EdgeErrors, type ErrorRow } from '../errors/index.ts';
import { preparedName, type RowsOf, sqlState, SqlState, type Statement, sql, tellCommitted } from '../sql/index.ts';

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
  constructor(
    private readonly em: EntityManager,
    private readonly database: Database,
  ) {}

  /**
   * Writes in one organization; refused as `ownerAccess` says, and 409 while it is being onboarded unless the write is one
   * of those that onboarding permits.
   */
  async inOrganization<T>(
    owner: Entrant,
    organizationId: string,
    work: (tx: EntityTx) => Promise<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const { subject } = owner;
    requireOpen(owner, organizationId);
    if (subject === BOOTSTRAP) await this.countUse(organizationId);
    const line = { lane: 'ordinary', key: organizationId } as const;
    const entering = [asSubject(subject), enter(owner, organizationId)];
    const admit = ([, entered]: unknown[][]) =>
      admitWrite(admitOwner(entered as readonly EnteredOrganization[]), options);
    return this.withEntities(organizationId, line, entering, work, admit).catch(
      referenceMissing(EdgeErrors.organizationNotFound),
    );
  }

  /** The same for hand-written statements alone: entering is one round trip, and so is a batch of them. */
  async statementsInOrganization<T>(
    owner: Entrant,
    organizationId: string,
    work: (tx: Tx) => Promise<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    if (owner.subject === BOOTSTRAP) await this.countUse(organizationId);
    return this.through(ownerWriteAccess(owner, organizationId, options), work);
  }

  /** On its own and before the work: a refused use is a use, and nobody waits for the work's end behind the counter. */
  private async countUse(organizationId: string): Promise<void> {
    const line = { lane: 'ordinary', key: organizationId } as const;
    const counted = [asSubject(BOOTSTRAP), enterCounted(organizationId)];
    await retrying(() => this.database.roundTrip('app', line, counted)).catch(
      referenceMissing(EdgeErrors.organizationNotFound),
    );
  }

  /** Writes in the organization that an access enters; entering is one round trip. */
  through<T>(access: OrganizationAccess, work: (tx: Tx) => Promise<T>): Promise<T> {
    const { organizationId, line, statements } = access;
    return this.transact('app', line, statements, async (client, sets, committed) => {
      access.admit(sets);
      return work({ ...this.txOn(client, committed), organizationId });
    }).catch(referenceMissing(access.gone));
  }

  /**
   * The hot form: the statements of the access and these are one round trip and one commit. Nobody looks in between, so the
   * statements themselves decide; behind a refused access they find no row, since the transaction is in no organization.
   */
  async batch<const Statements extends readonly Statement[]>(
    access: OrganizationAccess,
    statements: Statements,
  ): Promise<RowsOf<Statements>> {
    const all = [...access.statements, ...statements];
    const results = await retrying(() => this.database.roundTrip('app', access.line, all)).catch(
      referenceMissing(access.gone),
    );
    const sets = rowsOf<readonly Statement[]>(results);
    access.admit(sets);
    tellCommitted(all, sets);
    return sets.slice(access.statements.length) as RowsOf<Statements>;
  }

  /** The hot form on the dispatch role: one round trip and one commit. */
  async dispatchBatch<const Statements extends readonly Statement[]>(
    statements: Statements,
    planning: Planning = {},
  ): Promise<RowsOf<Statements>> {
    const all = [asDispatch(planning), ...statements];
    const [, ...results] = await retrying(() => this.database.roundTrip('dispatch', FOR_ALL, all));
    const sets = rowsOf<Statements>(results);
    tellCommitted(statements, sets);
    return sets;
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
        const send = () => this.database.roundTrip('dispatch', FOR_ALL, all);
        const results = await retrying(send).catch((error: unknown) => {
          throw calls.length === 1 && sqlState(error) === SqlState.foreignKeyViolation ? new ApiError(gone) : error;
        });
        const sets = rowsOf<readonly Statement[]>(results);
        tellCommitted(all, sets);
        const answers = new Map((sets.at(-1) as Row[]).map((row) => [row.place, row]));
        return calls.map((_, index) => answers.get(index + 1));
      },
    });
  }

  /** Writes the organization that the work creates under this id, and the subject's own part of the directory. */
  inNewOrganization<T>(subject: string, organizationId: string, work: (tx: EntityTx) => Promise<T>): Promise<T> {
    return this.withEntities(organizationId, directoryLine(subject), [asSubject(subject, organizationId)], work);
  }

  /** Writes the subject's own part of the directory. */
  asSubject<T>(subject: string, work: (tx: StatementTx) => Promise<T>): Promise<T> {
    const line = directoryLine(subject);
    return this.transact('app', line, [asSubject(subject)], (client, _, committed) =>
      work(this.txOn(client, committed)),
    );
  }

  /** Works across organizations on what the dispatch role may touch. */
  dispatch<T>(work: (execute: Execute) => Promise<T>): Promise<T> {
    return this.transact('dispatch', FOR_ALL, [asDispatch()], (client) => work(executeOn(client)));
  }

  /** Works as the tables' owner, on the direct connection: purge and partitions only. */
  owner<T>(work: (execute: Execute) => Promise<T>): Promise<T> {
    return retrying(() =>
      this.database.direct.lendForTransaction(async (client) => {
        await client.query('begin');
        const result = await work(executeOn(client));
        await client.query('commit');
        return result;
      }),
    );
  }

  private withEntities<T>(
    organizationId: string,
    line: Line,
    entering: readonly Statement[],
    work: (tx: EntityTx) => Promise<T>,
    admit: (sets: unknown[][]) => void = () => undefined,
  ): Promise<T> {
    return this.transact('app', line, entering, async (client, sets, committed) => {
      admit(sets);
      const em = entitiesOn(this.em, client);
      const result = await work({ ...this.txOn(client, committed), organizationId, em });
      await em.flush();
      return result;
    });
  }

  /** The entering statements, behind the begin, are one round trip. */
  private async transact<T>(
    login: Login,
    line: Line,
    entering: readonly Statement[],
    work: (client: pg.PoolClient, sets: unknown[][], committed: (() => void)[]) => Promise<T>,
  ): Promise<T> {
    requireContext(entering);
    const committed: (() => void)[] = [];
    const result = await retrying(() =>
      this.database.transaction(login, line, async (client) => {
        committed.length = 0;
        const [, ...sets] = rowsOf<readonly Statement[]>(await Batch.run(client, [BEGIN, ...entering], this.database));
        const made = await work(client, sets, committed);
        await client.query('commit');
        return made;
      }),
    );
    await tellAll(committed);
    return result;
  }

  private txOn(client: pg.PoolClient, committed: (() => void)[]): StatementTx {
    return {
      rows: async <Row>(query: Statement<Row>) => {
        const rows = (await client.query(this.named(query))).rows as Row[];
        if (query.afterCommit) committed.push(() => query.afterCommit!(rows));
        return rows;
      },
      batch: async <const Statements extends readonly Statement[]>(statements: Statements) => {
        const sets = rowsOf<Statements>(await Batch.run(client, statements, this.database));
        if (statements.some((each) => 'afterCommit' in each)) committed.push(() => tellCommitted(statements, sets));
        return sets;
      },
      afterCommit: (told) => committed.push(told),
    };
  }

  /** Planned once a connection, where the deployment lets statements have names. */
  private named({ text, values }: Statement): pg.QueryConfig {
    return { ...(this.database.prepared ? { name: preparedName(text) } : {}), text, values: [...values] };
  }
}

const BEGIN = sql`begin`;

/**
 * Tells of a commit. Those who were told go on first: a claim that waits for the work would else send its statement behind
 * the answer to whoever made it (measured: half a millisecond of three).
 */
async function tellAll(committed: readonly (() => void)[]): Promise<void> {
  if (committed.length === 0) return;
  for (const tell of committed) tell();
  await immediate();
}

/** Directory calls count against the share of their subject. */
function directoryLine(subject: string): Line {
  return { lane: 'ordinary', key: subject };
}

function executeOn(client: pg.PoolClient): Execute {
  return async <Row>({ text, values }: Statement<Row>) => (await client.query(text, [...values])).rows as Row[];
}

function rowsOf<Statements extends readonly Statement[]>(results: readonly Result[]): RowsOf<Statements> {
  return results.map(({ rows }) => rows) as RowsOf<Statements>;
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
