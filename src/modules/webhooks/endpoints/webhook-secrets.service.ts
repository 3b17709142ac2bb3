import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Statement } from '../../../kernel/database/index.ts';
import { Secrets } from '../../../kernel/secrets/index.ts';
import { insertSecret, type SealedRow } from '../webhooks.queries.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** The secrets that sign what is sent, in the form of Standard Webhooks. */
@Injectable()
export class WebhookSecretsService {
  constructor(private readonly secrets: Secrets) {}

  /** A new secret, and the statement that stores it sealed. */
  make(
    organizationId: string,
    webhookId: string,
    generation: number,
  ): { readonly secret: string; readonly stored: Statement } {
    const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    const sealed = this.secrets.seal(secret, contextOf(organizationId, webhookId, generation));
    return { secret, stored: insertSecret(organizationId, webhookId, { generation, ...sealed }) };
  }

  /** Throws where it cannot be opened. */
  open(organizationId: string, webhookId: string, { generation, ...sealed }: SealedRow): string {
    return this.secrets.open<string>(sealed, contextOf(organizationId, webhookId, generation));
  }
}

function contextOf(organizationId: string, webhookId: string, generation: number): (string | number)[] {
  return ['webhook_secret', organizationId, webhookId, generation];
}
