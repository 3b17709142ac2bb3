import { Integer, OneOf, Timestamp } from '../../../kernel/validation/index.ts';
import { DISPATCH_STATUSES, type DispatchStatus } from '../organization.state.ts';

export class PutWorkDispatchDto {
  @OneOf(DISPATCH_STATUSES, { example: 'stopped' })
  status!: DispatchStatus;
}

export class WorkDispatchDto {
  @OneOf(DISPATCH_STATUSES)
  status!: DispatchStatus;
  @Timestamp({ nullable: true, example: null })
  workDispatchStoppedAt!: string | null;
  @Integer({ example: 0, description: 'Run requests that wait to be claimed' })
  queuedRunRequests!: number;
  @Integer({ example: 0, description: 'Live runs; a stop lets them finish' })
  runningRuns!: number;
}
