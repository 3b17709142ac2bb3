import { columns, ISO_NOW, sql, type Statement } from '../../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../../kernel/pagination/index.ts';
import { WEBHOOKS } from '../webhook.policy.ts';
import type { DeadReason, DeliveryAttempt, DeliveryStatus, WebhookStatus } from '../webhook.state.ts';
import type { DeliveryListQuery, WebhookDeliveryDto } from './delivery.dto.ts';
import { DELIVERIES } from './delivery.policy.ts';

const select = columns<WebhookDeliveryDto>({
  id: 'd.id',
  webhookId: 'd.webhook_id',
  eventId: 'd.event_id',
  event: 'd.event',
  sequence: 'd.sequence',
  status: 'd.status',
  reason: 'd.reason',
  attempts: 'd.attempts',
  nextAttemptAt: 'd.next_attempt_at',
  redeliveryOf: 'd.redelivery_of',
  createdAt: 'd.created_at',
});

export function deliveriesOf(
  organizationId: string,
  webhookId: string,
  query: DeliveryListQuery,
): KeysetList<WebhookDeliveryDto> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('d.organization_id', organizationId)
    .equals('d.webhook_id', webhookId)
    .oneOf('d.status', query.status)
    .oneOf('d.event', query.event)
    .between('d.created_at', query.createdAfter, query.createdBefore);
  return new KeysetList<WebhookDeliveryDto>(
    {
      select,
      from: 'webhook_delivery d',
      where: filters.where,
      walks: query.status && [{ column: 'status', values: [...new Set(query.status)] }],
      // Ids grow with time.
      sortBy: [{ sql: 'd.id', type: 'uuid', of: ({ id }) => id }],
      cursor: opaqueCursor('webhook-deliveries', [organizationId, webhookId, bound]),
    },
    query,
  );
}

export function deliveryById(organizationId: string, webhookId: string, id: string): Statement<WebhookDeliveryDto> {
  return sql`
    select ${select} from webhook_delivery d
    where d.organization_id = ${organizationId} and d.webhook_id = ${webhookId} and d.id = ${id}`;
}

/** A webhook that is told of an event, locked, and the number of its next delivery. */
export interface ToldWebhook {
  readonly id: string;
  readonly status: WebhookStatus;
  readonly sequence: number;
  readonly now: string;
}

const RECORDED_TIME = sql.raw(`interval '${WEBHOOKS.recordedDays} days'`);

/** Those that are told of an event: enabled, or disabled by the backend days ago at most, so that it can be sent later. */
export function lockToldWebhooks(organizationId: string, event: string): Statement<ToldWebhook> {
  return sql`
    with told as materialized (
      select w.id, w.status, w.sequence from webhook w
      where w.organization_id = ${organizationId} and w.deleted_at is null and ${event} = any(w.events)
        and (w.status = 'enabled'
          or w.disabled_reason in ('gone', 'failing') and w.disabled_at > clock_timestamp() - ${RECORDED_TIME})
      order by w.id for no key update)
    select t.id, t.status, t.sequence + 1 as sequence, clock_timestamp() as now from told t`;
}

export interface NewDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly event: string;
  readonly sequence: number;
  readonly status: DeliveryStatus;
  readonly reason: DeadReason | null;
  readonly isTest: boolean;
  readonly body: string;
  readonly now: string;
}

export function insertDelivery(organizationId: string, delivery: NewDelivery): Statement {
  const { id, webhookId, eventId, event, sequence, status, reason, isTest, body, now } = delivery;
  return sql`
    insert into webhook_delivery (organization_id, id, webhook_id, event_id, event, sequence, status, reason, is_test,
      next_attempt_at, body, created_at)
    values (${organizationId}, ${id}, ${webhookId}, ${eventId}, ${event}, ${sequence}, ${status}, ${reason}, ${isTest},
      ${status === 'pending' ? now : null}, ${body}, ${now})`;
}

export function setSequence(organizationId: string, webhookId: string, sequence: number): Statement {
  return sql`
    update webhook w set sequence = ${sequence} where w.organization_id = ${organizationId} and w.id = ${webhookId}`;
}

/** Delivers once more what a delivery delivered: the same event, bytes and sequence. */
export function insertRedelivery(
  organizationId: string,
  { id, of, now }: { readonly id: string; readonly of: string; readonly now: string },
): Statement<{ id: string }> {
  return sql`
    insert into webhook_delivery (organization_id, id, webhook_id, event_id, event, sequence, status, attempts,
      attempt_count, is_test, next_attempt_at, redelivery_of, body, created_at)
    select d.organization_id, ${id}::uuid, d.webhook_id, d.event_id, d.event, d.sequence, 'pending', '[]'::jsonb, 0, false,
      ${now}::timestamptz, d.id, d.body, ${now}::timestamptz
    from webhook_delivery d where d.organization_id = ${organizationId} and d.id = ${of}
    returning id`;
}

/** A webhook with something to be sent. */
export interface DueWebhook {
  readonly organizationId: string;
  readonly webhookId: string;
}

/**
 * Webhooks with a delivery that is due and that nobody sends, behind a place, in the order of their keys. Steps from webhook
 * to webhook through the index, however many deliveries one has.
 */
export function dueWebhooks(behind: DueWebhook | undefined, limit: number): Statement<DueWebhook> {
  const none = '00000000-0000-0000-0000-000000000000';
  const { organizationId, webhookId } = behind ?? { organizationId: none, webhookId: none };
  return sql`
    with recursive hook as (
      (select d.organization_id, d.webhook_id from webhook_delivery d
       where d.status in ('pending', 'failed')
         and (d.organization_id, d.webhook_id) > (${organizationId}::uuid, ${webhookId}::uuid)
       order by d.organization_id, d.webhook_id limit 1)
      union all
      select n.organization_id, n.webhook_id from hook h cross join lateral (
        select d.organization_id, d.webhook_id from webhook_delivery d
        where d.status in ('pending', 'failed')
          and (d.organization_id, d.webhook_id) > (h.organization_id, h.webhook_id)
        order by d.organization_id, d.webhook_id limit 1) n)
    select h.organization_id as "organizationId", h.webhook_id as "webhookId" from hook h
    where exists (
      select from webhook_delivery d
      where d.organization_id = h.organization_id and d.webhook_id = h.webhook_id and d.status in ('pending', 'failed')
        and d.next_attempt_at <= clock_timestamp()
        and (d.lease_expires_at is null or d.lease_expires_at <= clock_timestamp()))
    limit ${limit}`;
}

/** A delivery that is sent now, under a lease. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
  readonly attemptCount: number;
  readonly isTest: boolean;
  readonly url: string;
}

const LEASE = sql.raw(`interval '${DELIVERIES.leaseSeconds} seconds'`);
const MOST_IN_FLIGHT = sql.raw(String(DELIVERIES.mostInFlight));

/** Locks the webhook, so that of several processes the later one counts what the earlier one has claimed. */
export function lockForClaim({ organizationId, webhookId }: DueWebhook): Statement {
  return sql`
    select from webhook w where w.organization_id = ${organizationId} and w.id = ${webhookId} for no key update`;
}

/** Claims what is due of a webhook, as long as no more than so many are in flight; behind `lockForClaim`. */
export function claimDue({ organizationId, webhookId }: DueWebhook, leaseToken: string): Statement<ClaimedDelivery> {
  const organization = sql.value(organizationId);
  const webhook = sql.value(webhookId);
  return sql`
    -- what may be sent, and until when it is ours
    with hook as materialized (
      select w.url, w.status, clock_timestamp() as now, clock_timestamp() + ${LEASE} as until from webhook w
      where w.organization_id = ${organization} and w.id = ${webhook} and w.deleted_at is null),
    due as materialized (
      select d.id, d.event_id, d.event, d.body, d.attempt_count, d.is_test, h.url, h.until
      from hook h join webhook_delivery d
        on d.organization_id = ${organization} and d.webhook_id = ${webhook} and d.status in ('pending', 'failed')
        and d.next_attempt_at <= h.now and (d.lease_expires_at is null or d.lease_expires_at <= h.now)
      where h.status = 'enabled' or d.is_test
      order by d.next_attempt_at, d.id
      limit greatest(0, ${MOST_IN_FLIGHT} - (
        select count(*) from webhook_delivery f
        where f.organization_id = ${organization} and f.webhook_id = ${webhook} and f.lease_token is not null
          and f.lease_expires_at > clock_timestamp()))
      for update of d skip locked),
    leased as (
      update webhook_delivery d set lease_token = ${leaseToken}::uuid, lease_expires_at = due.until
      from due where d.organization_id = ${organization} and d.id = due.id)
    select d.id, d.event_id as "eventId", d.event, d.body, d.attempt_count as "attemptCount", d.is_test as "isTest", d.url
    from due d`;
}

/** What an attempt leaves of its delivery. */
export interface AttemptedDelivery {
  readonly status: DeliveryStatus;
  readonly reason: DeadReason | null;
  /** Until the next attempt, from now; null where there is none. */
  readonly pauseMs: number | null;
  readonly attempt: Omit<DeliveryAttempt, 'at'>;
}

/** Notes an attempt under its lease; no row if the lease is another's by now, or the delivery has ended. */
export function noteAttempt(
  organizationId: string,
  { id, leaseToken }: { readonly id: string; readonly leaseToken: string },
  { status, reason, pauseMs, attempt }: AttemptedDelivery,
): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    with held as materialized (
      select d.id, d.attempt_count + 1 as attempt_count,
        clock_timestamp() + ${pauseMs}::int * interval '1 millisecond' as next_attempt_at,
        (case when jsonb_array_length(d.attempts) >= ${sql.raw(String(DELIVERIES.attemptsShown))} then d.attempts - 0
           else d.attempts end)
          || (jsonb_build_object('at', ${sql.raw(ISO_NOW)}) || ${JSON.stringify(attempt)}::jsonb) as attempts
      from webhook_delivery d
      where d.organization_id = ${organization} and d.id = ${id} and d.lease_token = ${leaseToken}::uuid
      for no key update of d),
    noted as (
      update webhook_delivery d set status = ${status}, reason = ${reason}, attempts = held.attempts,
        attempt_count = held.attempt_count, next_attempt_at = held.next_attempt_at, lease_token = null,
        lease_expires_at = null
      from held where d.organization_id = ${organization} and d.id = held.id)
    select h.id from held h`;
}

/** Gives a delivery back that was not sent to its end: it is due as before. */
export function releaseDelivery(organizationId: string, id: string, leaseToken: string): Statement {
  return sql`
    update webhook_delivery d set lease_token = null, lease_expires_at = null
    where d.organization_id = ${organizationId} and d.id = ${id} and d.lease_token = ${leaseToken}::uuid`;
}

/** What deliveries have shown of their webhook. */
export interface WebhookHealth {
  readonly failingSince: string | null;
  readonly failures: number;
  readonly toldFailing: boolean;
  readonly lastDeliveryAt: string | null;
}

export function setHealth(organizationId: string, webhookId: string, health: WebhookHealth): Statement {
  const { failingSince, failures, toldFailing, lastDeliveryAt } = health;
  return sql`
    update webhook w set failing_since = ${failingSince}, failures = ${failures}, told_failing = ${toldFailing},
      last_delivery_at = ${lastDeliveryAt}
    where w.organization_id = ${organizationId} and w.id = ${webhookId}`;
}

/** Removes deliveries that ended and are so many days old; answers a row for each. */
export function removeOldDeliveries(days: number, limit: number): Statement {
  return sql`
    with old as materialized (
      select d.organization_id, d.id from webhook_delivery d
      where d.created_at < clock_timestamp() - make_interval(days => ${days}::int) and d.status in ('delivered', 'dead')
      order by d.created_at limit ${limit} for update skip locked)
    delete from webhook_delivery d using old where d.organization_id = old.organization_id and d.id = old.id
    returning 1`;
}

/** Removes deliveries of deleted webhooks; answers a row for each. */
export function removeOrphans(limit: number): Statement {
  return sql`
    with gone as materialized (
      select d.organization_id, d.id from webhook w
      join webhook_delivery d on d.organization_id = w.organization_id and d.webhook_id = w.id
      where w.deleted_at is not null limit ${limit} for update of d skip locked)
    delete from webhook_delivery d using gone where d.organization_id = gone.organization_id and d.id = gone.id
    returning 1`;
}

/** Removes deleted webhooks that nothing hangs on any more. */
export function removeWebhooks(limit: number): Statement {
  return sql`
    with gone as materialized (
      select w.organization_id, w.id from webhook w
      where w.deleted_at is not null
        and not exists (select from webhook_delivery d where d.organization_id = w.organization_id and d.webhook_id = w.id)
      limit ${limit} for update skip locked)
    delete from webhook w using gone where w.organization_id = gone.organization_id and w.id = gone.id
    returning 1`;
}
