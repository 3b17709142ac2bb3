import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/index.ts';
import { Draining } from '../../../kernel/http/index.ts';
import { WaitingLine } from '../../../kernel/leases/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { WorkSignals } from '../../tasks/index.ts';

/**
 * The claims of run requests that wait. Other processes are not told of work that waiters of this one take, so a waiter
 * that leaves without work passes its signal on.
 */
@Injectable()
export class WorkWaitersService extends WaitingLine {
  constructor(
    private readonly signals: WorkSignals,
    draining: Draining,
    clock: Clock,
    metrics: Metrics,
  ) {
    super(draining, clock, metrics, 'run');
    signals.onReady((organizationId, count) => this.wake({ organizationId }, count));
    signals.onGap(() => this.wakeAll());
  }

  protected override leftUnserved(organizationId: string): void {
    this.signals.ready(organizationId, 1);
  }
}
