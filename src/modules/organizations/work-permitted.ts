import { Injectable } from '@nestjs/common';
import { EventBus } from '../../kernel/events/index.ts';
import type { Tx } from '../../kernel/database/index.ts';

const PERMITTED = 'work.permitted';

/** Tells every process that work of an organization that was held back may go on. A hint that may be lost. */
@Injectable()
export class WorkPermitted {
  constructor(private readonly events: EventBus) {}

  /** Tells of it once the transaction has committed. */
  tell(tx: Tx, organizationId: string): void {
    tx.afterCommit(() => this.events.publish(PERMITTED, { organizationId }));
  }

  onPermitted(handler: (organizationId: string) => void): void {
    this.events.subscribe(PERMITTED, ({ organizationId }) => handler(String(organizationId)));
  }
}
