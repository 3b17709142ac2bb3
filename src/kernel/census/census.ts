import { Injectable, Logger } from '@nestjs/common';
import { inBackground } from '../admission/index.ts';
import { Migrations, type Statement, Transactions } from '../database/index.ts';
import { Metrics } from '../metrics/index.ts';
import { CensusMetrics } from './census.metrics.ts';
import { bounded } from './census.queries.ts';

interface Counts {
  readonly rows: readonly (object | undefined)[];
  readonly atMs: number;
}

/**
 * Counts across organizations for metrics: the statements of all modules in one round trip. Each must cost the same
 * whatever the number of organizations and the length of history, so it counts along an index of what is open, up to
 * `COUNT_LIMIT`.
 */
@Injectable()
export class Census {
  private readonly logger = new Logger('Census');
  private readonly statements: Statement<object>[] = [];
  private readonly counts: () => Counts | undefined;
  private failing = false;

  constructor(
    private readonly transactions: Transactions,
    migrations: Migrations,
    metrics: Metrics,
  ) {
    const missing = metrics.lookUp(() => migrations.missing());
    metrics.gauge(CensusMetrics.up, () => (missing() ? 1 : 0));
    metrics.gauge(CensusMetrics.migrationsMissing, () => missing()?.length);
    this.counts = metrics.lookUp(() => this.look());
    metrics.gauge(CensusMetrics.countedAt, () => {
      const counts = this.counts();
      return counts && counts.atMs / 1_000;
    });
  }

  /** Adds a statement of one row; returns how its last row is read, which is undefined while there is none. */
  count<Row extends object>(statement: Statement<Row>): () => Row | undefined {
    const place = this.statements.push(statement) - 1;
    return () => this.counts()?.rows[place] as Row | undefined;
  }

  /** Logs the first of several failures in a row. */
  private async look(): Promise<Counts> {
    try {
      const sets = await inBackground(() => this.transactions.dispatchBatch([bounded(), ...this.statements]));
      this.failing = false;
      return { rows: sets.slice(1).map(([row]) => row as object | undefined), atMs: Date.now() };
    } catch (error) {
      if (!this.failing) this.logger.warn(`the counts for metrics could not be made: ${(error as Error).message}`);
      this.failing = true;
      throw error;
    }
  }
}
