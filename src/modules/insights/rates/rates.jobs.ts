import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { RatesService } from './rates.service.ts';

@Injectable()
export class RatesJobs {
  private readonly isOn: boolean;

  constructor(
    private readonly rates: RatesService,
    config: Config,
  ) {
    this.isOn = config.fxRates;
  }

  /** Each hour a quarter past, from the time on at which a day's rates should be there until they are. */
  @Job('exchange-rates', '0 15 * * * *')
  async update(signal: AbortSignal): Promise<void> {
    if (this.isOn) await this.rates.update(signal);
  }
}
