import { Injectable } from '@nestjs/common';
import { Bus } from '../../../kernel/bus/index.ts';
import type { Tx } from '../../../kernel/database/index.ts';

const PERMITTED = 'work.permitted';

/** Something that has to know in the same transaction that an organization's work may go on. */
export interface PermissionFollower {
  permitted(tx: Tx): Promise<void>;
}

/**
 * Work of an organization that was held back may go on. Port: declared here; `tasks` and `chats` follow in the transaction, and every
 * process is told of it afterwards by a hint that may be lost.
 */
@Injectable()
export class WorkPermitted {
  private readonly followers: PermissionFollower[] = [];

  constructor(private readonly bus: Bus) {}

  register(follower: PermissionFollower): void {
    this.followers.push(follower);
  }

  /** Call it behind what permits the work; others are told once the transaction has committed. */
  async tell(tx: Tx): Promise<void> {
    for (const follower of this.followers) await follower.permitted(tx);
    tx.afterCommit(() => this.bus.publish(PERMITTED, { organizationId: tx.organizationId }));
  }

  onPermitted(handler: (organizationId: string) => void): void {
    this.bus.subscribe(PERMITTED, ({ organizationId }) => handler(String(organizationId)));
  }
}
