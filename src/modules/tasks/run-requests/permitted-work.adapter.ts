import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type PermissionFollower, WorkPermitted } from '../../organizations/index.ts';
import { rejoinLinesOf } from './dispatch-lines.queries.ts';

/** Brings an organization back into the lines of claims when its work is permitted again, in the same transaction. */
@Injectable()
export class PermittedWork implements PermissionFollower {
  constructor(permitted: WorkPermitted) {
    permitted.register(this);
  }

  async permitted(tx: Tx): Promise<void> {
    await tx.rows(rejoinLinesOf(tx.organizationId));
  }
}
