import { generationOf, type VerifiedResource } from '../../integrations/index.ts';
import { sourceAuthority, type Standing, stampOf } from './source-authority.ts';
import { NOTHING_YET, type SourceCoverage } from './source-coverage.ts';
import type { FollowedColumns, SourceIdentity, SourceRow } from './sources.queries.ts';

const UNSUPPORTED: SourceCoverage = { ...NOTHING_YET, reason: 'unsupported_capability', provisional: false };

/** What a connector as it stands says of one of its sources; `was` is the source as it is known, if it is. */
export function followed(
  connector: Standing,
  source: SourceIdentity,
  resource: VerifiedResource | undefined,
  was: SourceRow | undefined,
  now: string,
): FollowedColumns {
  const { row } = connector;
  const stamp = stampOf(connector);
  const isOther = was?.stamp !== stamp || was.integrationId !== row.id;
  const isCollected = sourceAuthority(connector, source) && isReported(connector, source);
  const pausedReason = was && isFailing(connector, source) && !isOther ? was.pausedReason : null;
  const isMoved = isOther || pausedReason !== was.pausedReason;
  return {
    integrationId: row.id,
    connectorKey: row.key,
    name: resource?.name ?? was?.name ?? source.resourceId,
    timezone: resource?.timezone ?? was?.timezone ?? null,
    currency: resource?.currency ?? was?.currency ?? null,
    preferred: isPreferred(connector, source),
    stamp,
    dueAt: isCollected ? (isMoved ? now : (was.dueAt ?? now)) : null,
    pausedReason,
    rejections: isMoved ? 0 : was.rejections,
    coverage: coverageOf(isReported(connector, source), was?.coverage),
  };
}

/** Whether owners chose, or gave, what the collector needs beside the credential of agents. */
export function isReported({ row }: Standing, { dataset, resourceId }: SourceIdentity): boolean {
  const settings = row.settings as { reporting?: { keys?: readonly unknown[]; creationFields?: object } } | null;
  if (dataset === 'conversations') return row.hasReportingCredentials;
  if (dataset === 'keys') return (settings?.reporting?.keys?.length ?? 0) > 0;
  if (dataset !== 'documents') return true;
  const collection = resourceId.slice(resourceId.indexOf('.') + 1);
  return Object.hasOwn(settings?.reporting?.creationFields ?? {}, collection);
}

/** The default property of web analytics; of everything else each source in scope. */
function isPreferred({ row }: Standing, { dataset, resourceId }: SourceIdentity): boolean {
  return dataset !== 'web' || row.settings?.['defaultPropertyId'] === resourceId;
}

/** Whether what stopped a collection is still to be seen of the connector. */
function isFailing({ row }: Standing, { dataset, resourceId }: SourceIdentity): boolean {
  // A reporting credential has no health of its own: giving another one moves the source.
  if (dataset === 'conversations') return true;
  if (row.credential?.state !== 'connected') return true;
  if (row.health?.generation !== generationOf(row)) return false;
  const ours = new Set(['credential', `resource:${resourceId}`]);
  return row.health.observations.some(({ scope, status }) => status === 'failed' && ours.has(scope));
}

function coverageOf(isReportedNow: boolean, was: SourceCoverage | undefined): SourceCoverage {
  if (!isReportedNow && (was === undefined || was.status === 'none')) return UNSUPPORTED;
  if (was === undefined || (isReportedNow && was.reason === 'unsupported_capability' && was.status === 'none'))
    return NOTHING_YET;
  return was;
}
