import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { BackendItemsService } from '../inbox/index.ts';
import {
  ConnectorNotices,
  type ConnectorTeller,
  type ConnectorTrouble,
  type TroubledConnector,
} from '../integrations/index.ts';

const TEXTS: Readonly<
  Record<ConnectorTrouble, { readonly title: string; readonly body: string; readonly over: string }>
> = {
  tools_quarantined: {
    title: 'Tools of {name} have changed',
    body: 'The provider defines tools otherwise than when they were selected. Nothing uses them any more. Discover the tools of the connector to see what changed, and select those again that are still wanted.',
    over: 'The tools were looked at again.',
  },
  reauthorization_required: {
    title: '{name} has to be authorized anew',
    body: 'The provider does not accept the authorization any more. Nothing reaches it until an owner connects it again.',
    over: 'The connector was connected again, or removed.',
  },
};

/** Puts before people what only they can mend about a connector. */
@Injectable()
export class ToldPeople implements ConnectorTeller {
  constructor(
    private readonly items: BackendItemsService,
    notices: ConnectorNotices,
  ) {
    notices.register(this);
  }

  async tell(tx: Tx, { id, name }: TroubledConnector, trouble: ConnectorTrouble): Promise<void> {
    const { title, body } = TEXTS[trouble];
    await this.items.open(tx, {
      kind: 'notification',
      severity: 'attention',
      title: title.replace('{name}', () => name).slice(0, 200),
      body,
      taskId: null,
      runId: null,
      chatId: null,
      actionId: null,
      expiresAt: null,
      dedupeKey: keyOf(id, trouble),
    });
  }

  async withdraw(tx: Tx, { id }: TroubledConnector, trouble: ConnectorTrouble): Promise<void> {
    const closing = { status: 'withdrawn', by: null, reason: TEXTS[trouble].over } as const;
    await this.items.close(tx, { dedupeKey: keyOf(id, trouble) }, closing);
  }
}

function keyOf(id: string, trouble: ConnectorTrouble): string {
  return `connector ${id} ${trouble}`;
}
