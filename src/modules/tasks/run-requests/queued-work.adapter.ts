import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type WorkHolder, WorkInFlight } from '../../organizations/index.ts';
import { queuedRequests } from './run-request-queue.queries.ts';

/** Counts the requests of an organization that wait. */
@Injectable()
export class QueuedWork implements WorkHolder {
  constructor(workInFlight: WorkInFlight) {
    workInFlight.register(this);
  }

  async workInFlight(tx: Tx): Promise<{ queuedRunRequests: number }> {
    const [row] = await tx.rows(queuedRequests(tx.organizationId));
    return row!;
  }
}
