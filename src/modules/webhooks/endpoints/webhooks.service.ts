import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { Egress } from '../../../kernel/egress/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { lockOrganization } from '../../organizations/index.ts';
import type {
  CreateWebhookDto,
  UpdateWebhookDto,
  WebhookDto,
  WebhookListQuery,
  WebhookWithSecretDto,
} from '../webhook.dto.ts';
import { NOT_FOUND, WebhookErrors } from '../webhook.errors.ts';
import { WEBHOOKS } from '../webhook.policy.ts';
import {
  blockedDomains,
  countWebhooks,
  endOpenDeliveries,
  insertWebhook,
  lockWebhook,
  markDeleted,
  removeSecrets,
  webhookById,
  type WebhookRow,
  webhooksOf,
} from '../webhooks.queries.ts';
import { WebhookChangesService } from './webhook-changes.service.ts';
import { WebhookNoticesService } from './webhook-notices.service.ts';
import { WebhookSecretsService } from './webhook-secrets.service.ts';
import { requireReachable } from './webhook-url.ts';

/** What owners do with webhooks. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly egress: Egress,
    private readonly changes: WebhookChangesService,
    private readonly secrets: WebhookSecretsService,
    private readonly notices: WebhookNoticesService,
  ) {}

  list(owner: OwnerPrincipal, organizationId: string, query: WebhookListQuery): Promise<Page<WebhookDto>> {
    return this.reads.listInOrganization(owner, organizationId, webhooksOf(organizationId, query));
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<WebhookDto> {
    const [webhook] = await this.reads.inOrganization(owner, organizationId, webhookById(organizationId, id));
    if (!webhook) throw new ApiError(NOT_FOUND);
    return webhook;
  }

  create(
    owner: OwnerPrincipal,
    organizationId: string,
    body: CreateWebhookDto,
    request: IdempotentRequest,
  ): Promise<WebhookWithSecretDto> {
    return this.transactions.inOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        {
          subject: owner.subject,
          request,
          details: body,
          organizationOf: () => organizationId,
          kept: (answer) => ({ ...answer, secret: null }),
        },
        async () => {
          // So that of two at once the later one counts the other.
          const organization = await lockOrganization(tx);
          requireReachable(this.egress, body.url, organization.blockedDomains);
          const [standing] = await tx.rows(countWebhooks(organizationId));
          if (standing!.count >= WEBHOOKS.mostOfOrganization) throw new ApiError(WebhookErrors.tooMany);
          return this.insert(tx, owner, body);
        },
      ),
    );
  }

  update(
    owner: OwnerPrincipal,
    organizationId: string,
    id: string,
    body: UpdateWebhookDto,
  ): Promise<WebhookWithSecretDto> {
    return this.onWebhook(owner, organizationId, id, async (tx, webhook) => {
      if (body.url !== undefined && body.url !== webhook.url) {
        const [organization] = await tx.rows(blockedDomains(organizationId));
        requireReachable(this.egress, body.url, organization!.blockedDomains);
      }
      const secret = await this.changes.edit(tx, webhook, body, owner);
      return { ...(await readIn(tx, id)), secret };
    });
  }

  /** Gone from the commit on; its deliveries are removed in the background. */
  delete(owner: OwnerPrincipal, organizationId: string, id: string): Promise<WebhookDto> {
    return this.onWebhook(owner, organizationId, id, async (tx, webhook) => {
      const shown = await readIn(tx, id);
      await tx.batch([
        markDeleted(organizationId, id, webhook.now),
        endOpenDeliveries(organizationId, id),
        removeSecrets(organizationId, id),
        ...this.changes.entry(tx, owner, 'webhook.deleted', webhook.url, id),
      ]);
      await this.changes.listen(tx);
      this.changes.expireCalls(tx, id);
      if (webhook.toldFailing) await this.notices.withdraw(tx, id, 'The webhook was deleted.');
      return shown;
    });
  }

  private async insert(tx: Tx, owner: OwnerPrincipal, body: CreateWebhookDto): Promise<WebhookWithSecretDto> {
    const { organizationId } = tx;
    const { url, events, description = '' } = body;
    const id = newId();
    const { secret, stored } = this.secrets.make(organizationId, id, 1);
    await tx.batch([
      insertWebhook(organizationId, { id, url, events, description }),
      stored,
      ...this.changes.entry(tx, owner, 'webhook.created', url, id, { events }),
    ]);
    await this.changes.listen(tx);
    return { ...(await readIn(tx, id)), secret };
  }

  private onWebhook<T>(
    owner: OwnerPrincipal,
    organizationId: string,
    id: string,
    work: (tx: Tx, webhook: WebhookRow) => Promise<T>,
  ): Promise<T> {
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const [webhook] = await tx.rows(lockWebhook(organizationId, id));
      if (!webhook) throw new ApiError(NOT_FOUND);
      return work(tx, webhook);
    });
  }
}

async function readIn(tx: Tx, id: string): Promise<WebhookDto> {
  const [webhook] = await tx.rows(webhookById(tx.organizationId, id));
  return webhook!;
}
