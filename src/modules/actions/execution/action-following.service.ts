import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { toActionDetail } from '../action-row.ts';
import type { ActionDetailDto } from '../action.dto.ts';
import { ActionErrors } from '../action.errors.ts';
import { actionById } from '../actions.queries.ts';
import { ActionExecutionService } from './action-execution.service.ts';

/** Between looks at an action that another process carries out: the first, and the longest. */
const LOOK_MS = { first: 100, most: 1_000 };
/** What goes on without a person. */
const GOES_ON: ReadonlySet<string> = new Set(['approved', 'executing']);

/** Waits for actions that need nobody's approval, in the request that proposed them. */
@Injectable()
export class ActionFollowingService {
  constructor(
    private readonly execution: ActionExecutionService,
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /** Whether nobody has to approve it, so that waiting leads somewhere. */
  goesOn({ status }: Pick<ActionDetailDto, 'status'>): boolean {
    return GOES_ON.has(status);
  }

  /**
   * The action when it has ended, waits for a person or rests because its provider fails for now, or as it is when the time
   * is over. A caller that goes changes nothing: the action goes on.
   */
  async settled(proposed: ActionDetailDto, waitMs: number): Promise<ActionDetailDto> {
    if (!this.goesOn(proposed)) return proposed;
    const { organizationId, id } = proposed;
    const untilMs = this.clock.monotonicMs() + waitMs;
    const rests = await Promise.race([
      this.execution.carryOut({ organizationId, id }),
      wait(waitMs, false, { ref: false }),
    ]);
    for (let lookMs = LOOK_MS.first; ; lookMs = Math.min(lookMs * 2, LOOK_MS.most)) {
      const action = await this.actionOf(proposed);
      if (rests || !this.goesOn(action) || this.clock.monotonicMs() + lookMs >= untilMs) return action;
      await wait(lookMs);
    }
  }

  private async actionOf({ organizationId, id }: ActionDetailDto): Promise<ActionDetailDto> {
    const access = activeAccess(organizationId, ActionErrors.notFound, 'ordinary');
    const [row] = await this.reads.through(access, actionById(organizationId, id));
    return toActionDetail(row!);
  }
}
