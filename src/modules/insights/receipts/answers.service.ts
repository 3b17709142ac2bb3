import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Admission } from '../../../kernel/admission/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';
import { sqlState, Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { periodStart } from '../definitions/index.ts';
import { InsightErrors } from '../insight.errors.ts';
import type { Asker } from '../query/askers.service.ts';
import { FiguresReadingService } from '../query/figures-reading.service.ts';
import type { InsightQueryDto } from '../query/insight-query.dto.ts';
import { planOf, splitOf, windowOf } from '../query/plan.ts';
import { StandingService } from '../query/standing.service.ts';
import { writeAnswer } from './answer-writing.ts';
import { insertReceipt } from './receipts.queries.ts';

const compress = promisify(gzip);

const LONGEST_MS = 30_000;
const AT_ONCE = 2;
const MOST_WAITING = 16;
const RETRY_AFTER_SECONDS = 5;
const QUERY_CANCELED = '57014';

/**
 * Answers queries. What is wrong with one is said before anything that costs more is done; the receipt is stored before the
 * answer leaves, so that nobody holds a number without one.
 */
@Injectable()
export class AnswersService {
  private readonly places = new Admission({
    size: AT_ONCE,
    share: AT_ONCE,
    queue: MOST_WAITING,
    waitMs: LONGEST_MS,
  });

  constructor(
    private readonly standings: StandingService,
    private readonly figures: FiguresReadingService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** The answer as canonical JSON. */
  async answer(asker: Asker, query: InsightQueryDto, gone: AbortSignal): Promise<Buffer> {
    const until = this.clock.monotonicMs() + LONGEST_MS;
    const requireTime = () => {
      gone.throwIfAborted();
      if (this.clock.monotonicMs() > until) throw tooSlow();
    };
    windowOf(query);
    splitOf(query);
    await this.places.enter(asker.organizationId, 1, gone);
    try {
      return await this.made(asker, query, requireTime);
    } catch (error) {
      if (sqlState(error) === QUERY_CANCELED) throw tooSlow();
      throw error;
    } finally {
      this.places.leave(asker.organizationId);
    }
  }

  private async made(asker: Asker, query: InsightQueryDto, requireTime: () => void): Promise<Buffer> {
    const window = windowOf(query);
    const standing = await this.standings.of(asker);
    const selections = planOf(query, standing);
    const currency = query.currency ?? standing.defaultCurrency;
    requireTime();
    const figures = await this.figures.read(asker, { query, window, currency, selections, standing });
    requireTime();
    const { from, to, grain, groupBy, filters } = query;
    const metrics = selections.map(({ definition: { key, version }, sources }) => ({
      key,
      version,
      sourceIds: sources.map(({ id }) => id),
    }));
    const request = { metrics, from, to, grain, groupBy, filters, currency };
    const receiptId = newId();
    const { publicationRevision, definitionsRevision } = standing.state;
    const head = { receiptId, publicationRevision, generatedAt: standing.now, request, currency };
    const { data, digest } = await writeAnswer(head, figures, requireTime);
    const receipt = insertReceipt(asker.organizationId, {
      id: receiptId,
      request,
      answer: await compress(data),
      digest,
      publicationRevision,
      definitionsRevision,
      seriesIds: figures.seriesIds,
      sourceIds: [...new Set(metrics.flatMap(({ sourceIds }) => sourceIds))],
      // Restatements are told by the first day of their period.
      fromDay: periodStart(grain, window.from),
      toDay: window.to,
      caller: asker.caller,
      createdAt: standing.now,
    });
    requireTime();
    await this.transactions.through(asker.againAccess, (tx) => tx.rows(receipt));
    return data;
  }
}

function tooSlow(): ApiError {
  return new ApiError(InsightErrors.tooSlow, { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
}
