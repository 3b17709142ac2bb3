import { Injectable } from '@nestjs/common';
import { Transactions } from '../../kernel/database/index.ts';
import { EdgeErrors } from '../../kernel/errors/index.ts';
import { standingAccess } from '../../kernel/tenancy/index.ts';
import { bodyOf, BUILTIN_METRICS, catalogHash, definitionHash, isReadAnew } from './definitions/index.ts';
import {
  type DefinitionRow,
  definitionsOf,
  insertDefinition,
  type InsightStateRow,
  lockInsightState,
  moveDefinitions,
  retireDefinitions,
} from './definition-versions.queries.ts';
import { ensureState } from './insight-state.queries.ts';
import type { Recalculation } from './insight.state.ts';

const CURRENT: Recalculation = { status: 'current', reason: null };
/** Of catalogs, by timezone: there are as many as organizations live in. */
const hashes = new Map<string, string>();

/** The hash of what this release defines, where days are those of this timezone. */
function expectedHash(timezone: string): string {
  let hash = hashes.get(timezone);
  if (hash === undefined) {
    hash = catalogHash(BUILTIN_METRICS, timezone);
    hashes.set(timezone, hash);
  }
  return hash;
}

/** Whether an organization's definitions are those of this release and of its timezone. */
export function areCurrent(state: InsightStateRow | undefined, timezone: string): boolean {
  return state?.timezone === timezone && state.catalogHash === expectedHash(timezone);
}

/**
 * Brings an organization's definitions to those of the release and of its timezone, where whoever reads them finds that they
 * are others. What decides a value makes another version; the older ones stay, because answers name them.
 */
@Injectable()
export class DefinitionVersionsService {
  constructor(private readonly transactions: Transactions) {}

  /** Once, under the state's lock; whoever comes second finds nothing to do. */
  synchronize(organizationId: string, timezone: string): Promise<void> {
    const access = standingAccess(organizationId, EdgeErrors.organizationNotFound);
    return this.transactions.through(access, async (tx) => {
      const [, [state], rows] = await tx.batch([
        ensureState(organizationId),
        lockInsightState(organizationId),
        definitionsOf(organizationId),
      ]);
      if (!state || areCurrent(state, timezone)) return;
      const changed = changedDefinitions(rows, timezone);
      const gone = rows.filter(({ key, current }) => current && !BUILTIN_METRICS.some((metric) => metric.key === key));
      await tx.batch([
        retireDefinitions(
          organizationId,
          [...changed, ...gone].map(({ key }) => key),
        ),
        ...changed.map((definition) => insertDefinition(organizationId, definition)),
        moveDefinitions(organizationId, {
          revision: state.definitionsRevision + (changed.length + gone.length > 0 ? 1 : 0),
          catalogHash: expectedHash(timezone),
          timezone,
        }),
      ]);
    });
  }
}

function changedDefinitions(rows: readonly DefinitionRow[], timezone: string): readonly DefinitionRow[] {
  return BUILTIN_METRICS.flatMap((metric) => {
    const versions = rows.filter(({ key }) => key === metric.key);
    const was = versions.find(({ current }) => current);
    const body = bodyOf(metric, timezone);
    const hash = definitionHash(body);
    if (was?.hash === hash) return [];
    const version = Math.max(0, ...versions.map((each) => each.version)) + 1;
    const reason = was && isReadAnew(was.body, body);
    const recalculation = reason ? ({ status: 'pending', reason } as const) : (was?.recalculation ?? CURRENT);
    return [{ key: metric.key, version, hash, body, current: true, recalculation }];
  });
}
