import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/index.ts';
import { Draining } from '../../../kernel/http/index.ts';
import { WaitingLine } from '../../../kernel/leases/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { WorkPermitted } from '../../organizations/index.ts';
import { WorkSignals } from '../../tasks/index.ts';

/** Claims to wake when dispatch resumes or a profile is enabled: the default limit of live runs; the work is not counted. */
const PERMITTED_COUNT = 10;

/**
 * The claims of run requests that wait. Other processes are not told of work that waiters of this one take, so a waiter
 * that leaves without work passes its signal on.
 */
@Injectable()
export class WorkWaitersService extends WaitingLine {
  constructor(
    private readonly signals: WorkSignals,
    permitted: WorkPermitted,
    draining: Draining,
    clock: Clock,
    metrics: Metrics,
  ) {
    super(draining, clock, metrics, 'run');
    signals.onReady((organizationId, count) => this.wake({ organizationId }, count));
    permitted.onPermitted((organizationId) => this.wake({ organizationId }, PERMITTED_COUNT));
    signals.onGap(() => this.wakeAll());
  }

  protected override leftUnserved(organizationId: string): void {
    this.signals.ready(organizationId, 1);
  }
}
