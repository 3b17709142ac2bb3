import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { Dataset, PauseReason } from '../definitions/index.ts';
import type { SourceCoverage } from './source-coverage.ts';

/** What makes a source the same one again. */
export interface SourceIdentity {
  readonly provider: string;
  readonly dataset: Dataset;
  readonly environment: string;
  readonly accountId: string;
  readonly resourceId: string;
}

export interface SourceRow extends SourceIdentity {
  readonly id: string;
  readonly organizationId: string;
  readonly integrationId: string;
  readonly connectorKey: string;
  readonly name: string;
  readonly timezone: string | null;
  readonly currency: string | null;
  readonly preferred: boolean;
  readonly stamp: string;
  readonly createdAt: string;
  readonly leaseToken: string | null;
  readonly leaseExpiresAt: string | null;
  readonly dueAt: string | null;
  readonly backoffUntil: string | null;
  readonly failures: number;
  readonly rejections: number;
  readonly pausedReason: PauseReason | null;
  readonly callsDay: string | null;
  readonly calls: number;
  readonly coverage: SourceCoverage;
  readonly lastCollectedAt: string | null;
  readonly lastError: Readonly<Record<string, unknown>> | null;
}

export const SOURCE = columns<SourceRow>({
  id: 's.id',
  organizationId: 's.organization_id',
  provider: 's.provider',
  dataset: 's.dataset',
  environment: 's.environment',
  accountId: 's.account_id',
  resourceId: 's.resource_id',
  integrationId: 's.integration_id',
  connectorKey: 's.connector_key',
  name: 's.name',
  timezone: 's.timezone',
  currency: 's.currency',
  preferred: 's.preferred',
  stamp: 's.stamp',
  createdAt: 's.created_at',
  leaseToken: 's.lease_token',
  leaseExpiresAt: 's.lease_expires_at',
  dueAt: 's.due_at',
  backoffUntil: 's.backoff_until',
  failures: 's.failures',
  rejections: 's.rejections',
  pausedReason: 's.paused_reason',
  callsDay: 's.calls_day',
  calls: 's.calls',
  coverage: 's.coverage',
  lastCollectedAt: 's.last_collected_at',
  lastError: 's.last_error',
});

/** Holds a connector as it is until the commit. */
export function shareConnector(organizationId: string, integrationId: string): Statement<{ id: string }> {
  return sql`
    select i.id from integration i
    where i.organization_id = ${organizationId} and i.id = ${integrationId} for share`;
}

/** All sources of an organization, in a fixed order. */
export function sourcesOf(organizationId: string): Statement<SourceRow> {
  return sql`
    select ${SOURCE} from metric_source s where s.organization_id = ${organizationId}
    order by s.provider, s.environment, s.account_id, s.resource_id`;
}

/** Locks the sources that a connector was seen with, and those of these identities, whichever connector they had. */
export function lockSources(
  organizationId: string,
  integrationId: string,
  identities: readonly SourceIdentity[],
): Statement<SourceRow> {
  return sql`
    with wanted as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(identities)}::jsonb)
        as row(provider text, dataset text, environment text, "accountId" text, "resourceId" text)),
    held as materialized (
      select h.* from metric_source h
      where h.organization_id = ${organizationId} and (h.integration_id = ${integrationId} or exists (
        select from wanted w where w.provider = h.provider and w.dataset = h.dataset and w.environment = h.environment
          and w."accountId" = h.account_id and w."resourceId" = h.resource_id))
      order by h.id for no key update)
    select ${SOURCE} from held s`;
}

/** Locks all sources of an organization. The time is that of behind the wait. */
export function lockSourcesOf(organizationId: string): Statement<SourceRow & { readonly now: string }> {
  return sql`
    with held as materialized (
      select h.* from metric_source h where h.organization_id = ${organizationId} order by h.id for no key update)
    select ${SOURCE}, clock_timestamp() as now from held s`;
}

/** What events of a connector say of its source. */
export type FollowedColumns = Pick<
  SourceRow,
  | 'integrationId'
  | 'connectorKey'
  | 'name'
  | 'timezone'
  | 'currency'
  | 'preferred'
  | 'stamp'
  | 'dueAt'
  | 'pausedReason'
  | 'rejections'
  | 'coverage'
>;

export function insertSource(
  {
    id,
    provider,
    dataset,
    environment,
    accountId,
    resourceId,
    ...source
  }: SourceIdentity & FollowedColumns & { id: string },
  organizationId: string,
  now: string,
): Statement {
  return sql`
    insert into metric_source (organization_id, id, provider, dataset, environment, account_id, resource_id, integration_id,
      connector_key, name, timezone, currency, preferred, stamp, created_at, due_at, failures, rejections, calls, coverage)
    values (${organizationId}, ${id}, ${provider}, ${dataset}, ${environment}, ${accountId}, ${resourceId},
      ${source.integrationId}, ${source.connectorKey}, ${source.name}, ${source.timezone}, ${source.currency},
      ${source.preferred}, ${source.stamp}, ${now}, ${source.dueAt}, 0, 0, 0, ${JSON.stringify(source.coverage)}::jsonb)`;
}

export function updateSource(organizationId: string, id: string, source: FollowedColumns): Statement {
  return sql`
    update metric_source set integration_id = ${source.integrationId}, connector_key = ${source.connectorKey},
      name = ${source.name}, timezone = ${source.timezone}, currency = ${source.currency}, preferred = ${source.preferred},
      stamp = ${source.stamp}, due_at = ${source.dueAt}, paused_reason = ${source.pausedReason},
      rejections = ${source.rejections}, coverage = ${JSON.stringify(source.coverage)}::jsonb
    where organization_id = ${organizationId} and id = ${id}`;
}

/** Locks a source while its lease is this one and lives; no row otherwise. The time is that of behind the wait. */
export function lockLeasedSource(
  organizationId: string,
  id: string,
  leaseToken: string,
): Statement<SourceRow & { readonly now: string }> {
  return sql`
    with held as materialized (
      select h.* from metric_source h
      where h.organization_id = ${organizationId} and h.id = ${id} and h.lease_token = ${leaseToken} for no key update)
    select ${SOURCE}, clock_timestamp() as now from held s where s.lease_expires_at > clock_timestamp()`;
}
