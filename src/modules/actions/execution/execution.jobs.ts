import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { ActionExecutionService } from './action-execution.service.ts';
import { ActionLapsesService } from './action-lapses.service.ts';
import { lapsedActions } from './execution.queries.ts';
import { sweepActions } from '../action-sweep.ts';

/** Carries approved actions out, and moves those whose executor went away. */
@Injectable()
export class ExecutionJobs {
  constructor(
    private readonly transactions: Transactions,
    private readonly execution: ActionExecutionService,
    private readonly lapses: ActionLapsesService,
  ) {}

  @Job('actions-take', '* * * * * *')
  take(): Promise<void> {
    return this.execution.takeApproved();
  }

  @Job('actions-lapse', '*/5 * * * * *')
  settleLapsed(signal: AbortSignal): Promise<void> {
    return sweepActions(this.transactions, signal, lapsedActions(), (found) => this.lapses.settle(found));
  }
}
