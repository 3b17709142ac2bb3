import { applyDecorators } from '@nestjs/common';
import { OpaqueCursor, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import {
  type FieldOptions,
  Flag,
  Integer,
  ListOf,
  OneOf,
  PartialUpdate,
  Text,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from './webhook-events.ts';
import { WEBHOOKS } from './webhook.policy.ts';
import { DISABLED_REASONS, WEBHOOK_STATUSES, type WebhookStatus } from './webhook.state.ts';

export class WebhookParams extends OrganizationParams {
  @Uuid()
  webhookId!: string;
}

export class WebhookListQuery extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @ListOf(WEBHOOK_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
}

const URL_RULES =
  'An https URL without credentials, fragment, white space and backslashes, on port 443 or one from 1024 to 65535, of a public host that the organization does not block. The host is looked up, and its address checked, each time that something is sent';

function WebhookUrl(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Text({
      ...options,
      max: WEBHOOKS.maxUrlLength,
      example: 'https://hooks.acme.example/business-runner',
      description: URL_RULES,
    }),
  );
}

function WebhookEvents(options: FieldOptions = {}): PropertyDecorator {
  return ListOf(WEBHOOK_EVENTS, {
    ...options,
    max: WEBHOOK_EVENTS.length,
    example: ['task.ended', 'inbox.item.opened'],
    description: 'What it is told of; may be empty for one that only approved actions call',
  });
}

export class CreateWebhookDto {
  @WebhookUrl()
  url!: string;
  @WebhookEvents()
  events!: WebhookEvent[];
  @Text({ min: 0, max: 500, optional: true, example: 'The receiver of the operations team' })
  description?: string;
}

@PartialUpdate()
export class UpdateWebhookDto {
  @WebhookUrl({ optional: true })
  url?: string;
  @WebhookEvents({ optional: true })
  events?: WebhookEvent[];
  @Text({ min: 0, max: 500, optional: true, example: 'The receiver of the operations team' })
  description?: string;
  @OneOf(WEBHOOK_STATUSES, {
    optional: true,
    example: 'enabled',
    description: 'Disabling ends what is still to be delivered; enabling begins anew, with what happens from then on',
  })
  status?: WebhookStatus;
  @Flag({
    optional: true,
    example: true,
    description:
      'Makes a new secret, which this answer shows. The one before goes on signing too for 24 hours; of two rotations within them only the last one before',
  })
  rotateSecret?: boolean;
}

export class WebhookDto {
  @Uuid()
  id!: string;
  @Text({ example: 'https://hooks.acme.example/business-runner' })
  url!: string;
  @ListOf(WEBHOOK_EVENTS, { example: ['task.ended', 'inbox.item.opened'] })
  events!: string[];
  @OneOf(WEBHOOK_STATUSES, { example: 'enabled' })
  status!: string;
  @Text({ min: 0, max: 500, example: 'The receiver of the operations team' })
  description!: string;
  @Integer({ min: 1, example: 1, description: 'Rises with URL and status' })
  revision!: number;
  @OneOf(DISABLED_REASONS, {
    nullable: true,
    example: null,
    description:
      '`owner`: by an owner; `gone`: it answered 410; `failing`: nothing was delivered for 5 days and 20 attempts',
  })
  disabledReason!: string | null;
  @Timestamp({ nullable: true, example: null, description: 'Until when the secret before the newest one signs too' })
  previousSecretExpiresAt!: string | null;
  @Timestamp({ nullable: true, example: null, description: 'The first failure behind the last success' })
  failingSince!: string | null;
  @Timestamp({ nullable: true, description: 'The last success' })
  lastDeliveryAt!: string | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class WebhookWithSecretDto extends WebhookDto {
  @Text({
    nullable: true,
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD5nD3xJmZ2bY=',
    description: 'The secret that signs, in the answer that made it; null otherwise, and in a replay',
  })
  secret!: string | null;
}
