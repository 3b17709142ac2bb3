import type { Tx } from '../../kernel/database/index.ts';

/** What follows when an owner changes which connectors and domains the organization permits. */
export interface ConstraintsFollower {
  /** Runs in the transaction of the change, which holds the organization. */
  constraintsChanged(tx: Tx): Promise<void>;
}

/** Port: declared here, implemented by modules above (`integrations` lets look again what waits for a connector). */
export class ConstraintsChanged {
  private readonly followers: ConstraintsFollower[] = [];

  register(follower: ConstraintsFollower): void {
    this.followers.push(follower);
  }

  async tell(tx: Tx): Promise<void> {
    for (const follower of this.followers) await follower.constraintsChanged(tx);
  }
}
