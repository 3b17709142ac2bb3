import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type PermissionFollower, WorkPermitted } from '../../organizations/index.ts';
import { requeueAllHeldBack } from './turn-rests.queries.ts';

/**
 * Requeues an organization's held-back turns in the transaction that permits its work again; the caller wakes claims
 * after it.
 */
@Injectable()
export class PermittedTurns implements PermissionFollower {
  constructor(permitted: WorkPermitted) {
    permitted.register(this);
  }

  async permitted(tx: Tx): Promise<void> {
    await tx.rows(requeueAllHeldBack(tx.organizationId));
  }
}
