import { Injectable } from '@nestjs/common';
import type { Statement, Tx } from '../../../kernel/database/index.ts';
import { ActionExpiryService } from '../../actions/index.ts';
import { type Actor, ActivityLogService, type ActivityVerb } from '../../organizations/index.ts';
import { verbsOf } from '../webhook-events.ts';
import type { DisabledReason } from '../webhook.state.ts';
import {
  endOpenDeliveries,
  heardEvents,
  retireSecrets,
  updateWebhook,
  type WebhookChange,
  type WebhookRow,
} from '../webhooks.queries.ts';
import { WebhookNoticesService } from './webhook-notices.service.ts';
import { WebhookSecretsService } from './webhook-secrets.service.ts';

/** The kind under which webhooks hear of the activity log. */
export const WEBHOOKS_KIND = 'webhooks';

/** What may be changed about a webhook. */
export interface Edit extends Partial<Pick<WebhookChange, 'url' | 'events' | 'description' | 'status'>> {
  readonly rotateSecret?: boolean;
}

/** Changes webhooks that the caller has locked: by owners, and by the backend, which disables what does not answer. */
@Injectable()
export class WebhookChangesService {
  constructor(
    private readonly secrets: WebhookSecretsService,
    private readonly notices: WebhookNoticesService,
    private readonly expiry: ActionExpiryService,
    private readonly activity: ActivityLogService,
  ) {}

  /** Answers the new secret, if there is one. */
  async edit(tx: Tx, before: WebhookRow, edit: Edit, actor: Actor): Promise<string | null> {
    const { organizationId } = tx;
    const after = changed(before, edit);
    const verbs = verbsOfEdit(before, after, edit);
    if (verbs.length === 0) return null;
    const secret = edit.rotateSecret ? this.secrets.make(organizationId, before.id, after.secretGeneration) : undefined;
    await tx.batch([
      ...(secret ? [...retireSecrets(organizationId, before.id, before.secretGeneration), secret.stored] : []),
      ...this.change(tx, before, after),
      ...verbs.flatMap(([verb, details]) => this.entry(tx, actor, verb, after.url, before.id, details)),
    ]);
    if (after.status !== before.status || edit.events) await this.listen(tx);
    if (before.toldFailing && !after.toldFailing)
      await this.notices.withdraw(tx, before.id, 'The webhook was changed.');
    return secret?.secret ?? null;
  }

  /** Disables one whose receiver is gone or fails; its open deliveries end. */
  async disable(tx: Tx, before: WebhookRow, reason: Exclude<DisabledReason, 'owner'>): Promise<void> {
    const after: WebhookChange = {
      ...before,
      status: 'disabled',
      disabledReason: reason,
      disabledAt: before.now,
      revision: before.revision + 1,
      toldFailing: true,
    };
    await tx.batch([
      ...this.change(tx, before, after),
      ...this.entry(tx, { kind: 'system', name: 'webhooks' }, 'webhook.disabled', before.url, before.id, { reason }),
    ]);
    await this.notices.tell(tx, before, reason);
  }

  /** Subscribes to what the webhooks of the organization are told of. */
  async listen(tx: Tx): Promise<void> {
    const events = await tx.rows(heardEvents(tx.organizationId));
    await this.activity.subscribe(tx, WEBHOOKS_KIND, verbsOf(events.map(({ event }) => event)));
  }

  entry(
    tx: Tx,
    actor: Actor,
    verb: ActivityVerb,
    url: string,
    id: string,
    details: Readonly<Record<string, unknown>> = {},
  ): readonly [Statement, Statement] {
    // Path and query of a URL may be a secret.
    const subject = { kind: 'webhook', id, label: new URL(url).host };
    return this.activity.entry(tx, { actor, verb, subject, details });
  }

  /** Lets actions expire that were approved for what the webhook was before. */
  expireCalls(tx: Tx, id: string): void {
    this.expiry.changed(tx, { connectorKey: WEBHOOKS_KIND, toolName: id });
  }

  private change(tx: Tx, { id, status, revision }: WebhookRow, after: WebhookChange): readonly Statement[] {
    const { organizationId } = tx;
    if (after.revision !== revision) this.expireCalls(tx, id);
    return [
      updateWebhook(organizationId, id, after),
      ...(after.status === 'disabled' && status === 'enabled' ? [endOpenDeliveries(organizationId, id)] : []),
    ];
  }
}

function changed(before: WebhookRow, edit: Edit): WebhookChange {
  const { url = before.url, events = before.events, description = before.description, status = before.status } = edit;
  const switched = status !== before.status;
  const isMoved = switched || url !== before.url;
  return {
    ...before,
    url,
    events,
    description,
    status,
    revision: before.revision + (isMoved ? 1 : 0),
    secretGeneration: before.secretGeneration + (edit.rotateSecret ? 1 : 0),
    disabledReason: status === 'enabled' ? null : switched ? 'owner' : before.disabledReason,
    disabledAt: status === 'enabled' ? null : switched ? before.now : before.disabledAt,
    // Enabling begins anew, and so does another address.
    ...(isMoved ? { failingSince: null, failures: 0, toldFailing: false } : {}),
  };
}

type Entry = readonly [verb: ActivityVerb, details: Readonly<Record<string, unknown>>];

function verbsOfEdit(before: WebhookRow, after: WebhookChange, edit: Edit): readonly Entry[] {
  const fields = (['url', 'events', 'description'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  const entries: Entry[] = [];
  if (fields.length > 0) entries.push(['webhook.updated', { changed: fields }]);
  if (edit.rotateSecret) entries.push(['webhook.secret_rotated', {}]);
  if (before.status !== after.status)
    entries.push(after.status === 'enabled' ? ['webhook.enabled', {}] : ['webhook.disabled', { reason: 'owner' }]);
  return entries;
}
