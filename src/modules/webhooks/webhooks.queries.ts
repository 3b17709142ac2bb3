import { columns, sql, type Statement } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../kernel/pagination/index.ts';
import type { ActionStanding } from '../actions/index.ts';
import type { WebhookDto, WebhookListQuery } from './webhook.dto.ts';
import type { WebhookEvent } from './webhook-events.ts';
import { WEBHOOKS } from './webhook.policy.ts';
import type { DisabledReason, WebhookStatus } from './webhook.state.ts';

const COLUMNS = {
  id: 'w.id',
  url: 'w.url',
  events: 'w.events',
  status: 'w.status',
  description: 'w.description',
  revision: 'w.revision',
  disabledReason: 'w.disabled_reason',
  previousSecretExpiresAt: `case when w.previous_secret_expires_at > clock_timestamp()
    then w.previous_secret_expires_at end`,
  failingSince: 'w.failing_since',
  lastDeliveryAt: 'w.last_delivery_at',
  createdAt: 'w.created_at',
  updatedAt: 'w.updated_at',
} as const;

const select = columns<WebhookDto>(COLUMNS);

/** A webhook with what only the backend reads. */
export interface WebhookRow extends WebhookDto {
  readonly status: WebhookStatus;
  readonly disabledReason: DisabledReason | null;
  readonly sequence: number;
  readonly secretGeneration: number;
  readonly disabledAt: string | null;
  readonly failures: number;
  readonly toldFailing: boolean;
  /** The database's clock, behind the wait for the lock. */
  readonly now: string;
}

const selectRow = columns<WebhookRow>({
  ...COLUMNS,
  sequence: 'w.sequence',
  secretGeneration: 'w.secret_generation',
  disabledAt: 'w.disabled_at',
  failures: 'w.failures',
  toldFailing: 'w.told_failing',
  now: 'clock_timestamp()',
});

export function webhooksOf(organizationId: string, query: WebhookListQuery): KeysetList<WebhookDto> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('w.organization_id', organizationId)
    .oneOf('w.status', query.status)
    .window('w', query);
  return new KeysetList<WebhookDto>(
    {
      select,
      from: 'webhook w',
      where: [...filters.where, 'w.deleted_at is null'],
      sortBy: [{ sql: 'w.id', type: 'uuid', of: ({ id }) => id }],
      cursor: opaqueCursor('webhooks', [organizationId, bound]),
    },
    query,
  );
}

export function webhookById(organizationId: string, id: string): Statement<WebhookDto> {
  return sql`
    select ${select} from webhook w
    where w.organization_id = ${organizationId} and w.id = ${id} and w.deleted_at is null`;
}

/** Locks a webhook, so that edits, events and what its deliveries report come one behind the other. */
export function lockWebhook(organizationId: string, id: string): Statement<WebhookRow> {
  return sql`
    with locked as materialized (
      select w.* from webhook w
      where w.organization_id = ${organizationId} and w.id = ${id} and w.deleted_at is null for no key update of w)
    select ${selectRow} from locked w`;
}

export function countWebhooks(organizationId: string): Statement<{ count: number }> {
  return sql`
    select count(*)::int as count from webhook w where w.organization_id = ${organizationId} and w.deleted_at is null`;
}

/** Domains that requests of the organization must not reach. */
export function blockedDomains(organizationId: string): Statement<{ blockedDomains: readonly string[] }> {
  return sql`select o.blocked_domains as "blockedDomains" from organization o where o.id = ${organizationId}`;
}

export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description: string;
}

export function insertWebhook(organizationId: string, webhook: NewWebhook): Statement {
  const { id, url, events, description } = webhook;
  return sql`
    insert into webhook (organization_id, id, url, events, description)
    values (${organizationId}, ${id}, ${url}, ${events}::text[], ${description})`;
}

export interface WebhookChange {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly status: WebhookStatus;
  readonly revision: number;
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: string | null;
  readonly secretGeneration: number;
  readonly failingSince: string | null;
  readonly failures: number;
  readonly toldFailing: boolean;
  readonly now: string;
}

export function updateWebhook(organizationId: string, id: string, to: WebhookChange): Statement {
  return sql`
    update webhook w set url = ${to.url}, events = ${to.events}::text[], description = ${to.description},
      status = ${to.status}, revision = ${to.revision}, disabled_reason = ${to.disabledReason},
      disabled_at = ${to.disabledAt}, secret_generation = ${to.secretGeneration}, failing_since = ${to.failingSince},
      failures = ${to.failures}, told_failing = ${to.toldFailing}, updated_at = ${to.now}
    where w.organization_id = ${organizationId} and w.id = ${id}`;
}

export function markDeleted(organizationId: string, id: string, now: string): Statement {
  return sql`
    update webhook w set deleted_at = ${now}, updated_at = ${now}
    where w.organization_id = ${organizationId} and w.id = ${id}`;
}

/** Ends what is still to be delivered, tests aside, because the webhook is disabled. */
export function endOpenDeliveries(organizationId: string, webhookId: string): Statement {
  return sql`
    update webhook_delivery d set status = 'dead', reason = 'webhook_disabled', next_attempt_at = null,
      lease_token = null, lease_expires_at = null
    where d.organization_id = ${organizationId} and d.webhook_id = ${webhookId} and d.status in ('pending', 'failed')
      and not d.is_test`;
}

/** What subscribed webhooks are told of: those that are enabled, and those that the backend disabled lately. */
export function heardEvents(organizationId: string): Statement<{ event: WebhookEvent }> {
  return sql`
    select distinct e.event from webhook w cross join lateral unnest(w.events) e(event)
    where w.organization_id = ${organizationId} and w.deleted_at is null
      and (w.status = 'enabled' or w.disabled_reason in ('gone', 'failing'))
    order by e.event`;
}

export interface SealedRow {
  readonly generation: number;
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly sealed: Buffer;
}

/** The secrets that sign now, the newest first. */
export function signingSecrets(organizationId: string, webhookId: string): Statement<SealedRow> {
  return sql`
    select s.generation, s.key_id as "keyId", s.wrapped_key as "wrappedKey", s.sealed from webhook_secret s
    where s.organization_id = ${organizationId} and s.webhook_id = ${webhookId}
      and (s.expires_at is null or s.expires_at > clock_timestamp())
    order by s.generation desc`;
}

export function insertSecret(organizationId: string, webhookId: string, secret: SealedRow): Statement {
  const { generation, keyId, wrappedKey, sealed } = secret;
  return sql`
    insert into webhook_secret (organization_id, webhook_id, generation, key_id, wrapped_key, sealed)
    values (${organizationId}, ${webhookId}, ${generation}, ${keyId}, ${wrappedKey}, ${sealed})`;
}

const OVERLAP = sql.raw(`interval '${WEBHOOKS.overlapHours} hours'`);

/** Makes the newest secret the one before: older ones go, and it signs for one more day. */
export function retireSecrets(organizationId: string, webhookId: string, newest: number): readonly Statement[] {
  const organization = sql.value(organizationId);
  const webhook = sql.value(webhookId);
  return [
    sql`
      delete from webhook_secret s
      where s.organization_id = ${organization} and s.webhook_id = ${webhook} and s.generation < ${newest}`,
    sql`
      with until as materialized (select clock_timestamp() + ${OVERLAP} as at),
      kept as (
        update webhook_secret s set expires_at = until.at from until
        where s.organization_id = ${organization} and s.webhook_id = ${webhook} and s.generation = ${newest}),
      noted as (
        update webhook w set previous_secret_expires_at = until.at from until
        where w.organization_id = ${organization} and w.id = ${webhook})
      select at from until`,
  ];
}

export function removeSecrets(organizationId: string, webhookId: string): Statement {
  return sql`
    delete from webhook_secret s where s.organization_id = ${organizationId} and s.webhook_id = ${webhookId}`;
}

/** How a webhook stands that an action calls; held until the commit with `lock`, so that a change is seen here or waits. */
export function standingOfWebhook(organizationId: string, id: string, lock: boolean): Statement<ActionStanding> {
  const held = lock ? sql`for share of w` : sql``;
  return sql`
    with standing as materialized (
      select w.revision, w.status from webhook w
      where w.organization_id = ${organizationId} and w.id = ${id} and w.deleted_at is null ${held})
    select 'external' as risk, '{}'::text[] as "approvalReasons",
      jsonb_build_object('webhook', s.revision || ' ' || s.status) as facts,
      case when s.status = 'disabled' then 'The webhook is disabled; an owner can enable it.' end as unusable
    from standing s`;
}
