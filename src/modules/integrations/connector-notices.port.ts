import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';

/** What a person has to mend about a connector. */
export type ConnectorTrouble = 'tools_quarantined' | 'reauthorization_required';

export interface TroubledConnector {
  readonly id: string;
  readonly name: string;
}

/** Tells people of connectors, in the transaction of the change that it tells of. */
export interface ConnectorTeller {
  /** One open notice a connector and trouble. */
  tell(tx: Tx, connector: TroubledConnector, trouble: ConnectorTrouble): Promise<void>;
  /** The trouble is over. */
  withdraw(tx: Tx, connector: TroubledConnector, trouble: ConnectorTrouble): Promise<void>;
}

/** Port: declared here, implemented by `gateway`, which leans on the inbox. */
@Injectable()
export class ConnectorNotices {
  private teller: ConnectorTeller | undefined;

  register(teller: ConnectorTeller): void {
    if (this.teller) throw new Error('Two modules tell people of connectors.');
    this.teller = teller;
  }

  async tell(tx: Tx, connector: TroubledConnector, trouble: ConnectorTrouble): Promise<void> {
    await this.teller?.tell(tx, connector, trouble);
  }

  async withdraw(tx: Tx, connector: TroubledConnector, trouble: ConnectorTrouble): Promise<void> {
    await this.teller?.withdraw(tx, connector, trouble);
  }
}
