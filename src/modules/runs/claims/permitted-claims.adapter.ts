import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type PermissionFollower, WorkPermitted } from '../../organizations/index.ts';
import { WorkSignals } from '../../tasks/index.ts';
import { claimableNow } from './run-requests.queries.ts';

/** Wakes as many claims as may have work of an organization once its work is permitted again, or more of it is. */
@Injectable()
export class PermittedClaims implements PermissionFollower {
  constructor(
    permitted: WorkPermitted,
    private readonly signals: WorkSignals,
  ) {
    permitted.register(this);
  }

  async permitted(tx: Tx): Promise<void> {
    const [row] = await tx.rows(claimableNow(tx.organizationId));
    const count = row?.count ?? 0;
    if (count > 0) tx.afterCommit(() => this.signals.ready(tx.organizationId, count));
  }
}
