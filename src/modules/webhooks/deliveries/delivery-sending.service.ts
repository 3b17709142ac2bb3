import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { inBackground } from '../../../kernel/admission/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { Egress, type EgressResult } from '../../../kernel/egress/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { WebhookSecretsService } from '../endpoints/webhook-secrets.service.ts';
import { NOT_FOUND } from '../webhook.errors.ts';
import { blockedDomains, type SealedRow, signingSecrets } from '../webhooks.queries.ts';
import {
  claimDue,
  type ClaimedDelivery,
  type DueWebhook,
  dueWebhooks,
  lockForClaim,
  releaseDelivery,
} from './deliveries.queries.ts';
import { DELIVERIES } from './delivery.policy.ts';
import { type AttemptEnd, outcomeOf } from './delivery-outcome.ts';
import { DeliverySettlingService } from './delivery-settling.service.ts';
import { signedRequest } from './signed-request.ts';

/** Attempts in flight in this process; the client that they leave through takes some more. */
const AT_ONCE = 24;
/** Webhooks that are looked up at once. */
const FOUND = 50;

/** A claim with what its requests need. */
interface Claim extends DueWebhook {
  readonly leaseToken: string;
  readonly secrets: readonly SealedRow[];
  readonly blockedDomains: readonly string[];
}

/**
 * Sends what is due. Webhooks take turns, each with a few attempts at once, so that one whose receiver is slow delays only
 * itself. An attempt that dies with its process is made again when its lease has lapsed.
 */
@Injectable()
export class DeliverySendingService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly stopping = new AbortController();
  private readonly inFlight = new Set<Promise<void>>();
  private readonly perWebhook = new Map<string, number>();
  /** The webhook that had the last turn. */
  private behind: DueWebhook | undefined;
  private onFree: () => void = () => undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly egress: Egress,
    private readonly secrets: WebhookSecretsService,
    private readonly settling: DeliverySettlingService,
  ) {}

  /** Calls this whenever an attempt has ended, so that another one can begin. */
  onPlace(free: () => void): void {
    this.onFree = free;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.allSettled(this.inFlight);
  }

  /** Begins attempts until nothing is due, or all places are taken; does not wait for their ends. */
  async sendDue(signal: AbortSignal): Promise<void> {
    let isRound = this.behind === undefined;
    for (;;) {
      const [found] = await this.transactions.dispatchBatch([dueWebhooks(this.behind, FOUND)]);
      for (const webhook of found) {
        if (signal.aborted || this.stopping.signal.aborted || this.inFlight.size >= AT_ONCE) return;
        this.behind = webhook;
        if ((this.perWebhook.get(webhook.webhookId) ?? 0) < DELIVERIES.mostInFlight) await this.sendOf(webhook);
      }
      if (found.length === FOUND) continue;
      this.behind = undefined;
      if (isRound) return;
      isRound = true;
    }
  }

  private async sendOf(webhook: DueWebhook): Promise<void> {
    const { organizationId } = webhook;
    const leaseToken = randomUUID();
    try {
      const access = standingAccess(organizationId, NOT_FOUND);
      const [, claimed, secrets, [organization]] = await this.transactions.batch(access, [
        lockForClaim(webhook),
        claimDue(webhook, leaseToken),
        signingSecrets(organizationId, webhook.webhookId),
        blockedDomains(organizationId),
      ]);
      const claim = { ...webhook, leaseToken, secrets, blockedDomains: organization!.blockedDomains };
      for (const delivery of claimed) this.begin(claim, delivery);
    } catch (error) {
      // It is being deleted, and its deliveries with it.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  private begin(claim: Claim, delivery: ClaimedDelivery): void {
    const { webhookId } = claim;
    this.perWebhook.set(webhookId, (this.perWebhook.get(webhookId) ?? 0) + 1);
    const attempt = inBackground(() => this.attempt(claim, delivery))
      .catch((error: Error) => this.logger.error(`${delivery.id} waits for its lease: ${error.message}`, error.stack))
      .finally(() => {
        this.inFlight.delete(attempt);
        const left = this.perWebhook.get(webhookId)! - 1;
        if (left === 0) this.perWebhook.delete(webhookId);
        else this.perWebhook.set(webhookId, left);
        this.onFree();
      });
    this.inFlight.add(attempt);
  }

  private async attempt(claim: Claim, delivery: ClaimedDelivery): Promise<void> {
    const { organizationId, webhookId, leaseToken } = claim;
    const began = performance.now();
    const end = await this.send(claim, delivery);
    if ('refusal' in end && end.refusal === 'aborted') {
      const released = [releaseDelivery(organizationId, delivery.id, leaseToken)] as const;
      await this.transactions.batch(standingAccess(organizationId, NOT_FOUND), released);
      return;
    }
    const outcome = outcomeOf(delivery, end, Math.round(performance.now() - began));
    await this.settling.settle({ organizationId, webhookId, leaseToken }, delivery, outcome);
  }

  private async send(claim: Claim, { eventId, body, url }: ClaimedDelivery): Promise<AttemptEnd> {
    const { organizationId, webhookId } = claim;
    let opened: string[];
    try {
      opened = claim.secrets.map((sealed) => this.secrets.open(organizationId, webhookId, sealed));
    } catch (error) {
      this.logger.error((error as Error).message);
      return { refusal: 'secret_unreadable' };
    }
    const result: EgressResult = await this.egress.send({
      url,
      method: 'POST',
      ...signedRequest(eventId, body, opened),
      limits: { totalMs: DELIVERIES.attemptMs, maxBytes: 65_536 },
      ignoresBody: true,
      hosts: 'public',
      organization: { id: organizationId, blockedDomains: claim.blockedDomains },
      places: webhookId,
      signal: this.stopping.signal,
    });
    return result;
  }
}
