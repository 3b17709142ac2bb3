import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { Outbox } from '../../../kernel/outbox/index.ts';
import {
  ConnectorAuthority,
  type ConnectorUse,
  REQUIREMENT_CHECK,
  type RequirementCheck,
} from '../../integrations/index.ts';
import { type Blocker, hasEnded, lockForEnd, TaskBlockersService } from '../../tasks/index.ts';
import { isMet, type RequirementBlocker } from './integration-requirement.ts';
import { purposesOf, type SoughtConnector, tasksWaitingFor } from './integration-waits.queries.ts';

/** Tasks that are locked at once. */
const SLICE = 50;

/**
 * Lets tasks go on whose connectors have come to be what they wait for. A completion that waits and a change of a connector
 * each record the event, and this looks under the task's lock, so that neither misses the other.
 */
@Injectable()
export class RequirementChecksService {
  constructor(
    private readonly authority: ConnectorAuthority,
    private readonly blockers: TaskBlockersService,
    outbox: Outbox,
  ) {
    outbox.handle(REQUIREMENT_CHECK, (tx, { payload }) => this.check(tx, (payload as RequirementCheck).connectorKey));
  }

  /** How the connectors of an organization stand to a profile whose run executes. */
  async usesOf(tx: Tx, agentProfileId: string): Promise<readonly ConnectorUse[]> {
    const rows = await tx.rows(this.authority.uses(tx.organizationId, 'all', agentProfileId));
    return rows.map((row) => this.authority.useOf(row, 'execute'));
  }

  private async check(tx: Tx, key: string | null): Promise<void> {
    const sought = key === null ? 'any' : await this.soughtOf(tx, key);
    let after = FIRST_UUID;
    for (;;) {
      const found = await tx.rows(tasksWaitingFor(tx.organizationId, sought, after, SLICE));
      for (const { id } of found) await this.checkTask(tx, id);
      if (found.length < SLICE) return;
      after = found.at(-1)!.id;
    }
  }

  private async soughtOf(tx: Tx, key: string): Promise<SoughtConnector> {
    const [connector] = await tx.rows(purposesOf(tx.organizationId, key));
    return { key, purposes: connector?.purposes ?? [] };
  }

  private async checkTask(tx: Tx, id: string): Promise<void> {
    const locked = await lockForEnd(tx, [id]);
    const task = locked.get(id);
    if (!task || hasEnded(task.status)) return;
    const waiting = task.blockers.filter(isOfConnector);
    if (waiting.length === 0) return;
    const uses = await this.usesOf(tx, task.ownerAgentProfileId);
    for (const { kind, connectorKey, requirement } of waiting)
      if (isMet({ kind, connectorKey, requirement }, uses))
        await this.blockers.remove(tx, locked, id, { kind, connectorKey, requirement });
  }
}

function isOfConnector(blocker: Blocker): blocker is Blocker & RequirementBlocker {
  return blocker.kind === 'integration';
}
