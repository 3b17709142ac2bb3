import { Injectable } from '@nestjs/common';
import { ConnectorAuthority, type ConnectorRow, type ConnectorUseRow } from '../integrations/index.ts';
import { type AskedStandings, ConnectorStandings } from './connector-standings.port.ts';

/** Says how the organization's connectors stand to a profile, for records that were found through them. */
@Injectable()
export class StandingConnectors {
  constructor(
    standings: ConnectorStandings,
    private readonly authority: ConnectorAuthority,
  ) {
    standings.register(this);
  }

  ask(organizationId: string, agentProfileId: string | null): AskedStandings {
    return agentProfileId === null ? this.ofNobody(organizationId) : this.ofProfile(organizationId, agentProfileId);
  }

  private ofNobody(organizationId: string): AskedStandings<ConnectorRow> {
    return {
      statement: this.authority.connectors(organizationId, 'connected'),
      read: (rows) =>
        rows.map((row) => {
          const standing = this.authority.standingOf(row);
          return { key: row.key, usable: standing.isUsable, sourceStamp: this.authority.sourceStampOf(standing) };
        }),
    };
  }

  /** Whether a connector may be used does not depend on the mode of the execution, which only limits writes. */
  private ofProfile(organizationId: string, agentProfileId: string): AskedStandings<ConnectorUseRow> {
    return {
      statement: this.authority.uses(organizationId, 'connected', agentProfileId),
      read: (rows) =>
        rows.map((row) => {
          const use = this.authority.useOf(row, null);
          const sourceStamp = this.authority.sourceStampOf(use.standing);
          return { key: row.key, usable: use.refusal() === null, sourceStamp };
        }),
    };
  }
}
