import { Injectable, Logger } from '@nestjs/common';
import { type Execute, Transactions } from '../../../kernel/database/index.ts';
import { Egress } from '../../../kernel/egress/index.ts';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { InsightMetrics } from '../insight.metrics.ts';
import { type GivenRate, RatesFile, UnusableRates } from './rates-file.ts';
import { fileFor, keptFrom, RATE_FILES, type RateFile } from './rates-schedule.ts';
import { RATES_AT_ONCE, storeRates, tryToFetch } from './rates.queries.ts';

const ORIGIN = 'https://www.ecb.europa.eu';

/** Fetches the euro reference rates of the European Central Bank. */
@Injectable()
export class RatesService {
  private readonly logger = new Logger('Insights');
  private readonly files: Readonly<Record<'stored' | 'failed', Addend>>;

  constructor(
    private readonly transactions: Transactions,
    private readonly egress: Egress,
    metrics: Metrics,
  ) {
    const counter = (outcome: 'stored' | 'failed') => metrics.counter(InsightMetrics.rateFiles, { outcome });
    this.files = { stored: counter('stored'), failed: counter('failed') };
  }

  /**
   * Brings the rates up to the day that should be there. One replica at a time: the others find the lock taken, which goes with
   * the transaction. A file that is not whole changes nothing.
   */
  async update(signal: AbortSignal): Promise<void> {
    await this.transactions.dispatch(async (execute) => {
      const [state] = await execute(tryToFetch());
      if (!state?.isOurs) return;
      const file = fileFor(state.newest, state.now);
      if (!file) return;
      try {
        const rates = await this.fetch(file, keptFrom(state.now), signal);
        await this.store(execute, rates);
        this.files.stored.inc();
      } catch (error) {
        if (!(error instanceof UnusableRates)) throw error;
        this.files.failed.inc();
        this.logger.warn(error.message);
      }
    });
  }

  private async store(execute: Execute, rates: readonly GivenRate[]): Promise<void> {
    for (let at = 0; at < rates.length; at += RATES_AT_ONCE)
      await execute(storeRates(rates.slice(at, at + RATES_AT_ONCE)));
  }

  private async fetch(name: RateFile, from: string, signal: AbortSignal): Promise<readonly GivenRate[]> {
    const { path, maxBytes, totalMs } = RATE_FILES[name];
    const file = new RatesFile(from);
    let rates: readonly GivenRate[] | undefined;
    let fault: UnusableRates | undefined;
    const result = await this.egress.send({
      url: `${ORIGIN}/stats/eurofxref/${path}`,
      method: 'GET',
      headers: { accept: 'text/xml, application/xml' },
      hosts: [ORIGIN],
      limits: { totalMs, maxBytes },
      signal,
      take: async ({ status }, body) => {
        try {
          if (status !== 200) throw new UnusableRates(`was answered with ${status}`);
          for await (const bytes of body) file.write(bytes);
          rates = file.end();
        } catch (error) {
          if (error instanceof UnusableRates) fault = error;
          throw error;
        }
      },
    });
    if (fault) throw fault;
    if ('refusal' in result) throw new UnusableRates(`did not come (${result.refusal})`);
    if (!rates) throw new UnusableRates('did not end');
    return rates;
  }
}
