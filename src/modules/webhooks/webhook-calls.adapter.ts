import { Injectable } from '@nestjs/common';
import { Reads, type Statement, type Tx } from '../../kernel/database/index.ts';
import { Egress } from '../../kernel/egress/index.ts';
import { EdgeIssues, invalid } from '../../kernel/errors/index.ts';
import { activeAccess } from '../../kernel/tenancy/index.ts';
import { isUuid } from '../../kernel/validation/index.ts';
import {
  type ActionExecutor,
  ActionExecutors,
  type ActionStanding,
  type ActionTarget,
  type ActionToSend,
  type DescribedAction,
  type Sent,
} from '../actions/index.ts';
import { signedRequest } from './deliveries/signed-request.ts';
import { WebhookSecretsService } from './endpoints/webhook-secrets.service.ts';
import { callBody, sentOf } from './webhook-call.ts';
import { NOT_FOUND } from './webhook.errors.ts';
import { blockedDomains, signingSecrets, standingOfWebhook, webhookById } from './webhooks.queries.ts';

/** From the look-up of the name to the end of the answer's head. */
const CALL_MS = 30_000;

/** What a call is sent with: read before the release, which holds the revision that it was read at. */
interface ReadyCall {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly blockedDomains: readonly string[];
}

/** Calls a webhook with what was approved, once: `toolName` is its id. */
@Injectable()
export class WebhookCalls implements ActionExecutor<ReadyCall> {
  readonly kind = 'webhook_call';
  readonly connectorKey = 'webhooks';

  constructor(
    executors: ActionExecutors,
    private readonly reads: Reads,
    private readonly egress: Egress,
    private readonly secrets: WebhookSecretsService,
  ) {
    executors.register(this);
  }

  async describe(tx: Tx, target: ActionTarget): Promise<DescribedAction> {
    const { organizationId, toolName } = target;
    const found = isUuid(toolName)
      ? await tx.batch([webhookById(organizationId, toolName), this.standing(target, false)])
      : undefined;
    const [webhook, standing] = [found?.[0][0], found?.[1][0]];
    if (!webhook || !standing) throw invalid('toolName', EdgeIssues.unknownReference, 'must be the id of a webhook');
    if (standing.unusable !== null) throw invalid('toolName', EdgeIssues.unknownReference, 'names a disabled webhook');
    // Path and query of its URL may be a secret, and agents see the preview.
    const heading = [`POST ${new URL(webhook.url).origin}/…`, webhook.description].filter((line) => line !== '');
    return {
      ...standing,
      integrationId: null,
      preview: `${heading.join('\n')}\n\n${JSON.stringify(target.arguments, null, 2)}`,
    };
  }

  standing({ organizationId, toolName }: ActionTarget, lock: boolean): Statement<ActionStanding> {
    return standingOfWebhook(organizationId, toolName, lock);
  }

  async prepare({ organizationId, toolName }: ActionToSend) {
    const access = activeAccess(organizationId, NOT_FOUND, 'ordinary');
    const [[webhook], sealed, [organization]] = await this.reads.listThrough(access, {
      statements: () =>
        [
          webhookById(organizationId, toolName),
          signingSecrets(organizationId, toolName),
          blockedDomains(organizationId),
        ] as const,
      result: (sets) => sets,
    });
    // Of one that is gone the release finds that too.
    const url = webhook?.url ?? '';
    try {
      const secrets = sealed.map((each) => this.secrets.open(organizationId, toolName, each));
      const prepared = { url, secrets, blockedDomains: organization!.blockedDomains };
      return { kind: 'ready', prepared } as const;
    } catch {
      const message = 'The secret that signs cannot be read; rotate it.';
      return { kind: 'refused', error: { code: 'secret_unreadable', message } } as const;
    }
  }

  async send(action: ActionToSend, ready: ReadyCall, signal: AbortSignal): Promise<Sent> {
    const result = await this.egress.send({
      url: ready.url,
      method: 'POST',
      ...signedRequest(action.id, callBody(action, new Date()), ready.secrets),
      limits: { totalMs: CALL_MS, maxBytes: 65_536 },
      ignoresBody: true,
      hosts: 'public',
      organization: { id: action.organizationId, blockedDomains: ready.blockedDomains },
      signal,
    });
    return sentOf(result);
  }
}
