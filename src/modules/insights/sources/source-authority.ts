import type { ReadinessService } from '../../integrations/index.ts';
import { generationOf } from '../../integrations/index.ts';
import { type DatasetDefinition, datasetOfConnector } from '../definitions/index.ts';
import type { SourceIdentity } from './sources.queries.ts';

/** A connector as it stands. */
export type Standing = ReturnType<ReadinessService['of']>;

/**
 * Whether an organization still stands by a source: its connector is enabled and permitted, has a credential in whatever
 * state, and what was verified names it. Health is no part: only owners withdraw a source.
 */
export function sourceAuthority(connector: Standing | undefined, source: SourceIdentity): boolean {
  if (!connector) return false;
  const { row, entry, readiness } = connector;
  if (readiness === 'retired' || readiness === 'blocked' || !row.enabled) return false;
  const hasCredential = source.dataset === 'conversations' ? row.hasReportingCredentials : row.credential !== null;
  const isVerified = !entry?.settingsVerified || row.settings === null || row.verifiedFor === generationOf(row);
  return hasCredential && isVerified && identitiesOf(connector).some((each) => isSame(each, source));
}

/** The identities that the verification of a connector proved. */
export function identitiesOf({ row }: Pick<Standing, 'row'>): readonly SourceIdentity[] {
  const dataset: DatasetDefinition | undefined = datasetOfConnector(row.kind);
  if (!dataset) return [];
  return (row.verifiedResources ?? []).map(({ accountId, resourceId, environment }) => ({
    provider: row.kind,
    dataset: dataset.dataset,
    environment,
    accountId,
    resourceId,
  }));
}

export function isSame(one: SourceIdentity, other: SourceIdentity): boolean {
  return (
    one.provider === other.provider &&
    one.dataset === other.dataset &&
    one.environment === other.environment &&
    one.accountId === other.accountId &&
    one.resourceId === other.resourceId
  );
}

/** Account, settings and reporting choices of a connector: what a collection reads under. A rotated credential is no part. */
export function stampOf({ row }: Pick<Standing, 'row'>): string {
  return JSON.stringify([row.credential?.identity ?? null, row.settingsRevision, row.collectionGeneration]);
}
