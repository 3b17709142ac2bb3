import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { Outbox } from '../../../kernel/outbox/index.ts';
import { ConstraintsChanged, type ConstraintsFollower } from '../../organizations/index.ts';
import { REQUIREMENT_CHECK, type RequirementCheck } from '../connector-changed.port.ts';

/** Lets everything look again that waits for a connector, since any may have come to be permitted. */
@Injectable()
export class ChangedConstraints implements ConstraintsFollower {
  constructor(
    private readonly outbox: Outbox,
    constraints: ConstraintsChanged,
  ) {
    constraints.register(this);
  }

  async constraintsChanged(tx: Tx): Promise<void> {
    const check: RequirementCheck = { connectorKey: null };
    await tx.batch([this.outbox.event(tx.organizationId, REQUIREMENT_CHECK, check)]);
  }
}
