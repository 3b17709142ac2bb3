import { OpaqueCursor, PageQuery } from '../../../kernel/pagination/index.ts';
import { Integer, ListOf, NestedList, OneOf, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { WebhookParams } from '../webhook.dto.ts';
import { TEST_EVENT, WEBHOOK_EVENTS } from '../webhook-events.ts';
import { DEAD_REASONS, DELIVERY_STATUSES } from '../webhook.state.ts';
import { DELIVERIES } from './delivery.policy.ts';

const EVENTS = [...WEBHOOK_EVENTS, TEST_EVENT];

export class DeliveryParams extends WebhookParams {
  @Uuid()
  deliveryId!: string;
}

export class DeliveryListQuery extends PageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @ListOf(DELIVERY_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
  @ListOf(EVENTS, { optional: true, description: 'Repeatable' })
  event?: string[];
  @Timestamp({ optional: true, description: 'Only rows created after this' })
  createdAfter?: string;
  @Timestamp({ optional: true, description: 'Only rows created before this' })
  createdBefore?: string;
}

export class DeliveryAttemptDto {
  @Timestamp()
  at!: string;
  @Integer({ nullable: true, example: 503, description: 'Of the answer; null where there was none' })
  status!: number | null;
  @Text({
    nullable: true,
    example: null,
    description:
      'What came instead of an answer: `timeout`, `unreachable` (name, connection or certificate), `refused_address`, `blocked_domain`, `not_https`, or `secret_unreadable`',
  })
  error!: string | null;
  @Integer({ example: 87 })
  latencyMs!: number;
}

export class WebhookDeliveryDto {
  @Uuid()
  id!: string;
  @Uuid()
  webhookId!: string;
  @Uuid({ description: 'What the receiver gets as `webhook-id`: the same in every attempt and redelivery' })
  eventId!: string;
  @OneOf(EVENTS, { example: 'task.ended' })
  event!: string;
  @Integer({ min: 1, example: 17, description: 'Counts per webhook, without gaps' })
  sequence!: number;
  @OneOf(DELIVERY_STATUSES, {
    example: 'delivered',
    description: '`failed` is tried again at `nextAttemptAt`, `dead` is not',
  })
  status!: string;
  @OneOf(DEAD_REASONS, { nullable: true, example: null, description: 'Why it is dead' })
  reason!: string | null;
  @NestedList(() => DeliveryAttemptDto, { max: DELIVERIES.attemptsShown, description: 'The newest ones' })
  attempts!: DeliveryAttemptDto[];
  @Timestamp({ nullable: true, example: null })
  nextAttemptAt!: string | null;
  @Uuid({ nullable: true, example: null, description: 'The delivery that this one repeats' })
  redeliveryOf!: string | null;
  @Timestamp()
  createdAt!: string;
}
