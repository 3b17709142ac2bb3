import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { inBackground } from '../admission/index.ts';
import { Metrics } from '../metrics/index.ts';
import { Migrations, sql, type Statement, Transactions } from '../database/index.ts';
import { CensusMetrics } from './census.metrics.ts';

/** Scrapes within this time show the same counts, so that any number of them costs one look. */
const FRESH_MS = 10_000;
/** A scrape waits this long, less than any scraper does. */
const LOOK_LIMIT_MS = 2_000;

const STATEMENT_LIMIT = sql`select set_config('statement_timeout', '${sql.raw(String(LOOK_LIMIT_MS))}', true)`;

interface Counted {
  readonly rows: readonly (object | undefined)[];
  readonly atMs: number;
}

/**
 * Counts across organizations for metrics: the statements of all modules in one round trip, on the dispatch role and the
 * lane of jobs, at a scrape. Each must cost the same whatever the number of organizations and the length of history, so
 * that it counts along an index of what is open, up to `COUNTED`.
 */
@Injectable()
export class Census {
  private readonly logger = new Logger('Metrics');
  private readonly statements: Statement<object>[] = [];
  private counted: Counted | undefined;
  private missing: number | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;
  private failing = false;

  constructor(
    private readonly transactions: Transactions,
    private readonly migrations: Migrations,
    metrics: Metrics,
  ) {
    metrics.beforeScrape(() => this.refresh());
    metrics.gauge(CensusMetrics.up, () => (this.missing === undefined ? 0 : 1));
    metrics.gauge(CensusMetrics.migrationsMissing, () => this.missing);
    metrics.gauge(CensusMetrics.countedAt, () => this.counted && this.counted.atMs / 1_000);
  }

  /** Adds a statement of one row; returns how its last row is read, which is undefined while there is none. */
  count<Row extends object>(statement: Statement<Row>): () => Row | undefined {
    const place = this.statements.push(statement) - 1;
    return () => this.counted?.rows[place] as Row | undefined;
  }

  private async refresh(): Promise<void> {
    if (performance.now() - this.lookedAt < FRESH_MS) return;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    await this.looking;
    this.lookedAt = performance.now();
  }

  private async look(): Promise<void> {
    const [counted, missing] = await Promise.all([
      inTime(inBackground(() => this.transactions.dispatchBatch([STATEMENT_LIMIT, ...this.statements]))).catch(
        (error: Error) => this.failed(error),
      ),
      inTime(this.migrations.missing()).catch(() => undefined),
    ]);
    this.missing = missing?.length;
    this.counted = counted && { rows: counted.slice(1).map(([row]) => row as object | undefined), atMs: Date.now() };
    if (counted) this.failing = false;
  }

  /** Logs the first of several failures in a row. */
  private failed({ message }: Error): undefined {
    if (!this.failing) this.logger.warn(`the counts for metrics could not be made: ${message}`);
    this.failing = true;
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, tooLate()]);
}

async function tooLate(): Promise<never> {
  await wait(LOOK_LIMIT_MS, undefined, { ref: false });
  throw new Error(`the database did not answer within ${LOOK_LIMIT_MS} ms`);
}
