import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/index.ts';
import { Draining } from '../../../kernel/http/index.ts';
import { WaitingLine } from '../../../kernel/leases/index.ts';
import { WorkPermitted } from '../../organizations/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { TURN } from './turn.policy.ts';

/** The claims of chat turns that wait. */
@Injectable()
export class TurnWaitersService extends WaitingLine {
  constructor(signals: ChatSignalsService, permitted: WorkPermitted, draining: Draining, clock: Clock) {
    super(draining, clock);
    signals.onTurnReady((organizationId) => this.wake({ organizationId }, 1));
    // Nobody counts what waited for a disabled profile.
    permitted.onPermitted((organizationId) => this.wake({ organizationId }, TURN.maxLive));
    signals.onGap(() => this.wakeAll());
  }

  /** Every process was told, whoever took the turn. */
  protected override leftUnserved(): void {}
}
