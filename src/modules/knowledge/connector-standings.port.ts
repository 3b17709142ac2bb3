import type { Tx } from '../../kernel/database/index.ts';

/** How a connector stands to a profile. */
export interface ConnectorStanding {
  readonly key: string;
  /** It is granted to the profile, and works. Of no matter where no profile is asked for. */
  readonly usable: boolean;
  /** Changes when what stands behind the connector does; null while it is disconnected, retired or blocked. */
  readonly sourceStamp: string | null;
}

interface StandingsSource {
  /** Of all connectors of an organization; for owners without a profile. */
  of(tx: Tx, organizationId: string, agentProfileId: string | null): Promise<readonly ConnectorStanding[]>;
}

/**
 * Port: declared here, implemented by the module that keeps the connectors. Without one there are none, so no record can
 * require any and reads need not ask.
 */
export class ConnectorStandings {
  private source: StandingsSource | undefined;

  get isKnown(): boolean {
    return this.source !== undefined;
  }

  register(source: StandingsSource): void {
    if (this.source) throw new Error('Two modules say how connectors stand.');
    this.source = source;
  }

  async of(tx: Tx, agentProfileId: string | null): Promise<readonly ConnectorStanding[]> {
    return (await this.source?.of(tx, tx.organizationId, agentProfileId)) ?? [];
  }
}
