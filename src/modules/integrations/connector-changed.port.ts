import { Injectable } from '@nestjs/common';
import type { Statement, Tx } from '../../kernel/database/index.ts';

/** The kind of the outbox events behind every change of a connector: what waits for it is looked at again. */
export const REQUIREMENT_CHECK = 'requirement.check';

/** What those events carry. */
export interface RequirementCheck {
  /** Null where it may concern any connector of the organization. */
  readonly connectorKey: string | null;
}

/** A connector, as those who follow it are told. */
export interface FollowedConnector {
  readonly organizationId: string;
  readonly id: string;
  readonly key: string;
  readonly kind: string;
}

/** What follows when a connector changed. */
export interface ConnectorFollower {
  /** Runs in the transaction of the change, which holds the connector's row. */
  connectorChanged?(tx: Tx, connector: FollowedConnector): void;
  /** What is recorded with the change, or with a check that the connector passed. */
  recordedWith?(connector: FollowedConnector): readonly Statement[];
}

/**
 * Port: declared here, implemented by modules above (`gateway` lets actions expire that are bound to what changed, `insights`
 * looks again which sources of figures there are).
 */
@Injectable()
export class ConnectorChanged {
  private readonly followers: ConnectorFollower[] = [];

  register(follower: ConnectorFollower): void {
    this.followers.push(follower);
  }

  tell(tx: Tx, connector: FollowedConnector): void {
    for (const follower of this.followers) follower.connectorChanged?.(tx, connector);
  }

  statements(connector: FollowedConnector): readonly Statement[] {
    return this.followers.flatMap((follower) => follower.recordedWith?.(connector) ?? []);
  }
}
