import type { Statement, Tx } from '../../kernel/database/index.ts';

/** How a connector stands to a profile. */
export interface ConnectorStanding {
  readonly key: string;
  /** It is granted to the profile, and works. Of no matter where no profile is asked for. */
  readonly usable: boolean;
  /** Changes when what stands behind the connector does; null while it is disconnected, retired or blocked. */
  readonly sourceStamp: string | null;
}

/** A statement, and how the connectors stand by its rows. */
export interface AskedStandings<Row = unknown> {
  readonly statement: Statement<Row>;
  read(rows: readonly Row[]): readonly ConnectorStanding[];
}

interface StandingsSource {
  /** Of the connectors of an organization; for owners without a profile. */
  ask(organizationId: string, agentProfileId: string | null): AskedStandings;
}

/** Port: how connectors stand, by the module that keeps them. Those that it leaves out have nothing behind them. */
export class ConnectorStandings {
  private source: StandingsSource | undefined;

  register(source: StandingsSource): void {
    if (this.source) throw new Error('Two modules say how connectors stand.');
    this.source = source;
  }

  ask(organizationId: string, agentProfileId: string | null): AskedStandings {
    if (!this.source) throw new Error('No module says how connectors stand.');
    return this.source.ask(organizationId, agentProfileId);
  }

  async of(tx: Tx, agentProfileId: string | null): Promise<readonly ConnectorStanding[]> {
    const asked = this.ask(tx.organizationId, agentProfileId);
    return asked.read(await tx.rows(asked.statement));
  }
}
