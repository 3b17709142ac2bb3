import { Injectable } from '@nestjs/common';
import { Bus } from '../../kernel/bus/index.ts';
import type { Tx } from '../../kernel/database/index.ts';

const CHANGED = 'organization.changed';

/**
 * Tells every process that something changed of an organization which its workers hear of: whether its work is
 * dispatched, its authorization epoch, that it is deleted. A hint, which may be lost.
 */
@Injectable()
export class OrganizationSignalsService {
  constructor(private readonly bus: Bus) {}

  /** Tells them once the transaction has committed. */
  changed(tx: Tx): void {
    tx.afterCommit(() => this.bus.publish(CHANGED, { organizationId: tx.organizationId }));
  }

  onChanged(handler: (organizationId: string) => void): void {
    this.bus.subscribe(CHANGED, ({ organizationId }) => handler(String(organizationId)));
  }
}
