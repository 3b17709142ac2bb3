import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ActionExpiryService } from '../../actions/index.ts';
import { ConnectorChanged, type ConnectorFollower } from '../../integrations/index.ts';

/** Lets actions expire in time that are bound to what changed of a connector; taking and releasing compare it themselves. */
@Injectable()
export class ChangedConnectors implements ConnectorFollower {
  constructor(
    private readonly expiry: ActionExpiryService,
    connectors: ConnectorChanged,
  ) {
    connectors.register(this);
  }

  connectorChanged(tx: Tx, { key }: { readonly key: string }): void {
    this.expiry.changed(tx, { connectorKey: key });
  }
}
