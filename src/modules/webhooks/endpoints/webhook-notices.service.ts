import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { BackendItemsService } from '../../inbox/index.ts';
import type { DisabledReason } from '../webhook.state.ts';

const PAUSED =
  'Nothing is sent to it any more. Enable it again once its receiver works; what happened since is in its deliveries.';

const TEXTS = {
  unanswered:
    'Nothing could be delivered to it for a day. Its deliveries show why; they are tried again for three days.',
  failing: `It was disabled: nothing could be delivered to it for days. ${PAUSED}`,
  gone: `It was disabled: its receiver answered that it is gone (410). ${PAUSED}`,
} as const satisfies Readonly<Record<Exclude<DisabledReason, 'owner'> | 'unanswered', string>>;

/** Tells people of webhooks that do not answer; one open notice a webhook. */
@Injectable()
export class WebhookNoticesService {
  constructor(private readonly items: BackendItemsService) {}

  async tell(tx: Tx, webhook: { readonly id: string; readonly url: string }, why: keyof typeof TEXTS): Promise<void> {
    // Path and query of a URL may be a secret.
    const { host } = new URL(webhook.url);
    await this.items.open(tx, {
      kind: 'notification',
      severity: 'attention',
      title: `The webhook at ${host} does not take what is sent to it`.slice(0, 200),
      body: TEXTS[why],
      taskId: null,
      runId: null,
      chatId: null,
      actionId: null,
      expiresAt: null,
      dedupeKey: keyOf(webhook.id),
    });
  }

  /** The cause is gone: it answers again, was changed, or deleted. */
  async withdraw(tx: Tx, webhookId: string, reason: string): Promise<void> {
    await this.items.close(tx, { dedupeKey: keyOf(webhookId) }, { status: 'withdrawn', by: null, reason });
  }
}

function keyOf(webhookId: string): string {
  return `webhook ${webhookId}`;
}
