import type { EntityManager } from '@mikro-orm/postgresql';
import type { RowsOf, Statement } from '../sql/index.ts';

/** Runs one statement on the transaction's connection. */
export type Execute = <Row>(query: Statement<Row>) => Promise<Row[]>;

/** One write transaction of hand-written statements. */
export interface StatementTx {
  readonly rows: Execute;
  /** Runs statements in this order, of which none needs another's rows, in as few round trips as there may be; one list of rows each. */
  batch<const Statements extends readonly Statement[]>(statements: Statements): Promise<RowsOf<Statements>>;
  /** Runs once the transaction has committed, and not if it does not: what tells others of its outcome. */
  afterCommit(work: () => void): void;
}

/** One in an organization; what is given it takes the organization from here, so that no other can be meant. */
export interface Tx extends StatementTx {
  readonly organizationId: string;
}

/** The same transaction for work that is undone: neither it nor its statements tell of it after the commit. */
export function untold(tx: Tx): Tx {
  const silent = ({ text, values }: Statement): Statement => ({ text, values });
  return {
    ...tx,
    rows: (query) => tx.rows(silent(query) as typeof query),
    batch: (statements) => tx.batch(statements.map(silent) as unknown as typeof statements),
    afterCommit: () => undefined,
  };
}

/** One that also works on entities, on the same connection. */
export interface EntityTx extends Tx {
  readonly em: EntityManager;
}
