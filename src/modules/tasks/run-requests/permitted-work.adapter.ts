import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../../kernel/database/index.ts';
import { type PermissionFollower, WorkPermitted } from '../../organizations/index.ts';
import { rejoinLinesUnconditionally } from './dispatch-lines.ts';

/** Brings an organization back into the lines of claims with whatever permits its work again, in the same transaction. */
@Injectable()
export class PermittedWork implements PermissionFollower {
  constructor(permitted: WorkPermitted) {
    permitted.register(this);
  }

  async permitted(tx: Tx): Promise<void> {
    await tx.rows(
      statement(`with ${rejoinLinesUnconditionally('(select $1::uuid as organization_id)')} select`, tx.organizationId),
    );
  }
}
