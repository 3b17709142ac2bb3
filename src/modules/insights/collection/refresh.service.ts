import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import type { OrganizationAccess } from '../../../kernel/tenancy/index.ts';
import { connectors, ReadinessService } from '../../integrations/index.ts';
import { datasetOfConnector } from '../definitions/index.ts';
import { sourceAuthority } from '../sources/source-authority.ts';
import { isReported } from '../sources/source-facts.ts';
import { lockSourcesOf, type SourceRow } from '../sources/sources.queries.ts';
import { makeDue } from './collection.queries.ts';

/** Collected since then, a source has nothing new to tell. */
const RECENT_MS = 15 * 60_000;

export interface Refreshed {
  readonly status: 'queued';
  /** Sources that are due now. */
  readonly queued: number;
  /** Those that are read now, were just read, rest or wait for somebody. */
  readonly unchanged: number;
  /** Of all of them, sorted. */
  readonly connectorKeys: readonly string[];
}

/** Makes sources due before their time. What was begun goes on where it is, and what rests goes on resting. */
@Injectable()
export class RefreshService {
  constructor(
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
  ) {}

  refresh(access: OrganizationAccess): Promise<Refreshed> {
    const { organizationId } = access;
    return this.transactions.through(access, async (tx) => {
      const [rows, sources] = await tx.batch([connectors(organizationId, 'connected'), lockSourcesOf(organizationId)]);
      const ready = new Map(
        rows
          .filter(({ kind }) => datasetOfConnector(kind))
          .map((row) => this.readiness.of(row))
          .filter(({ readiness }) => readiness === 'ready')
          .map((connector) => [connector.row.id, connector]),
      );
      const eligible = sources.filter((source) => {
        const connector = ready.get(source.integrationId);
        return connector && sourceAuthority(connector, source) && isReported(connector, source);
      });
      const queued = eligible.filter((source) => isIdle(source, source.now));
      const ids = queued.map(({ id }) => id);
      if (queued.length > 0) await tx.batch(makeDue(organizationId, ids, queued[0]!.now));
      return {
        status: 'queued',
        queued: queued.length,
        unchanged: eligible.length - queued.length,
        connectorKeys: [...new Set(eligible.map(({ connectorKey }) => connectorKey))].toSorted(),
      };
    });
  }
}

function isIdle(source: SourceRow, now: string): boolean {
  const { leaseExpiresAt, backoffUntil, pausedReason, dueAt, lastCollectedAt } = source;
  const isPast = (time: string | null) => time === null || time <= now;
  const isFresh = lastCollectedAt !== null && Date.parse(now) - Date.parse(lastCollectedAt) < RECENT_MS;
  return (
    isPast(leaseExpiresAt) &&
    isPast(backoffUntil) &&
    pausedReason === null &&
    !(dueAt !== null && dueAt <= now) &&
    !isFresh
  );
}
