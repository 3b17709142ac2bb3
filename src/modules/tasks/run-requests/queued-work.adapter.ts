import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../../kernel/database/index.ts';
import { type WorkHolder, WorkInFlight } from '../../organizations/index.ts';

/** Counts what waits of an organization; a claimed request has not started. */
@Injectable()
export class QueuedWork implements WorkHolder {
  constructor(workInFlight: WorkInFlight) {
    workInFlight.register(this);
  }

  async workInFlight(tx: Tx): Promise<{ queuedRunRequests: number }> {
    const [row] = await tx.rows(
      statement<{ queuedRunRequests: number }>(
        `select count(*)::int as "queuedRunRequests" from run_request
         where organization_id = $1 and status in ('queued', 'claimed')`,
        tx.organizationId,
      ),
    );
    return row!;
  }
}
