import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/index.ts';
import { Draining } from '../../../kernel/http/index.ts';
import { WaitingLine } from '../../../kernel/leases/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { WorkPermitted } from '../../organizations/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { TURN } from './turn.policy.ts';

/** The claims that wait for a chat turn. */
@Injectable()
export class TurnWaitersService extends WaitingLine {
  constructor(
    signals: ChatSignalsService,
    permitted: WorkPermitted,
    draining: Draining,
    clock: Clock,
    metrics: Metrics,
  ) {
    super(draining, clock, metrics, 'turn');
    signals.onTurnReady((organizationId) => this.wake({ organizationId }, 1));
    // No count tells how many turns were held back: wake as many claims as may find one.
    permitted.onPermitted((organizationId) => this.wake({ organizationId }, TURN.maxLive));
    signals.onGap(() => this.wakeAll());
  }

  /** Every process gets the signal, so no other has to be told. */
  protected override leftUnserved(): void {}
}
