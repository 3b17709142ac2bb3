import { Injectable } from '@nestjs/common';
import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import type { Sql, Statement } from '../../../kernel/database/index.ts';
import type { Mode } from '../../../kernel/principals/index.ts';
import { ConnectorUse } from './connector-use.ts';
import {
  type ConnectorRow,
  connectors,
  type ConnectorUseRow,
  connectorUses,
  type UseOptions,
  type Which,
} from './connectors.queries.ts';
import { ReadinessService, type StandingConnector } from './readiness.service.ts';

/**
 * Decides who may use which connector and tool: a statement for the caller's own round trip or transaction, and what its
 * rows mean. Whatever issues or checks a capability, lists tools, resolves, clears a blocker, approves or takes an action
 * asks here; nothing else decides.
 */
@Injectable()
export class ConnectorAuthorityService {
  constructor(private readonly readiness: ReadinessService) {}

  /** How connectors stand to a profile, in the order of their keys; each row is read by `useOf`. */
  uses(organizationId: string, which: Which, agentProfileId: string, options: UseOptions = {}): Sql<ConnectorUseRow> {
    return connectorUses(organizationId, which, agentProfileId, options);
  }

  /** What a row means for an execution: the mode of a task run, null for a chat turn. */
  useOf(row: ConnectorUseRow, mode: Mode | null): ConnectorUse {
    return new ConnectorUse(this.readiness.of(row), mode);
  }

  /** How connectors stand to nobody in particular; each row is read by `standingOf`. */
  connectors(organizationId: string, which: Which): Statement<ConnectorRow> {
    return connectors(organizationId, which);
  }

  standingOf(row: ConnectorRow): StandingConnector {
    return this.readiness.of(row);
  }

  /**
   * Changes when what stands behind a connector does: the account, the server, or the part of its data that settings name.
   * Null while it is disconnected, retired or blocked.
   */
  sourceStampOf({ row, readiness }: StandingConnector): string | null {
    if (readiness === 'retired' || readiness === 'blocked' || row.credential?.state !== 'connected') return null;
    const { reporting: _reporting, ...material } = row.settings ?? {};
    return canonicalDigest([row.kind, row.endpoint, row.credential.identity, material]);
  }
}
