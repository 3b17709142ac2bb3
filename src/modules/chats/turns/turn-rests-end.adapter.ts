import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type PermissionFollower, WorkPermitted } from '../../organizations/index.ts';
import { letAllGo } from './turn-rests.queries.ts';

/** Ends the rests of an organization's turns in the transaction that permits its work again; the caller wakes claims after it. */
@Injectable()
export class TurnRestsEnd implements PermissionFollower {
  constructor(permitted: WorkPermitted) {
    permitted.register(this);
  }

  async permitted(tx: Tx, organizationId: string): Promise<void> {
    await tx.rows(letAllGo(organizationId));
  }
}
