import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Bus } from '../../../kernel/bus/index.ts';

const DUE = 'webhooks.due';
/** Processes are told at most once in this time. */
const TOLD_EVERY_MS = 20;

/** Wakes the processes that deliver. A hint: they also look each second. */
@Injectable()
export class DeliverySignalsService implements OnApplicationShutdown {
  private wake: (() => void) | undefined;
  private telling: NodeJS.Timeout | undefined;
  private isTellingAgain = false;

  constructor(
    private readonly bus: Bus,
    config: Config,
  ) {
    if (config.role !== 'api') bus.subscribe(DUE, () => this.wake?.());
  }

  onApplicationShutdown(): void {
    clearTimeout(this.telling);
  }

  /** There are new deliveries; call it after their commit. */
  due(): void {
    if (this.telling) {
      this.isTellingAgain = true;
      return;
    }
    this.bus.publish(DUE, {});
    this.telling = setTimeout(() => {
      this.telling = undefined;
      if (!this.isTellingAgain) return;
      this.isTellingAgain = false;
      this.due();
    }, TOLD_EVERY_MS).unref();
  }

  onDue(wake: () => void): void {
    this.wake = wake;
  }
}
