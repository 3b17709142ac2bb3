import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type Statement, Transactions } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { ObjectStore } from '../../../kernel/storage/index.ts';
import { RunCitations } from './run-citations.port.ts';
import {
  holdRuns,
  holdTasks,
  LOGS_LIMIT,
  type OldRow,
  type OldRun,
  oldRequests,
  oldRuns,
  ORGANIZATIONS_LIMIT,
  organizationsBehind,
  removeLogs,
  removeRequests,
  removeRuns,
  RETENTION_LIMIT,
  type RetentionPosition,
  runIsGone,
  stillRemovableRequests,
  stillRemovableRuns,
} from './run-retention.queries.ts';

/** Prefix of empty objects: one for each run with artifacts whose rows are being removed, until its bytes are. */
const MARKS = 'removed-runs';
/** Longer than a batch takes: after that time the process that put the mark has died. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

/**
 * Removes runs and requests that ended long ago, with logs, outcomes, receipts, and the artifacts and their bytes. Keeps
 * the runs that an open task needs (its own, its dependencies', its children's, and those that its inputs name) and those
 * whose bytes something names. Works as
 * the tables' owner in batches, and may be cut off anywhere: the next pass goes on.
 */
@Injectable()
export class RunRetentionService {
  constructor(
    private readonly transactions: Transactions,
    private readonly objects: ObjectStore,
    private readonly citations: RunCitations,
  ) {}

  /** One pass over all organizations. */
  async run(months: number, signal: AbortSignal): Promise<void> {
    await this.removeLeftBehind(signal);
    let after = FIRST_UUID;
    let found: { id: string; hasOld: boolean }[];
    do {
      found = await this.rows(organizationsBehind(after, months));
      for (const { id, hasOld } of found) if (hasOld) await this.removeOf(id, months, signal);
      after = found.at(-1)?.id ?? after;
    } while (found.length === ORGANIZATIONS_LIMIT && !signal.aborted);
  }

  private async removeOf(organizationId: string, months: number, signal: AbortSignal): Promise<void> {
    const runs = (after?: RetentionPosition) =>
      this.rows(oldRuns(organizationId, months, this.citations.conditions, after));
    await untilDone(runs, signal, (rows) => this.removeRuns(organizationId, rows));
    const requests = (after?: RetentionPosition) => this.rows(oldRequests(organizationId, months, after));
    await untilDone(requests, signal, async (rows) => {
      await this.remove(organizationId, rows, {
        still: (ids) => [stillRemovableRequests(organizationId, ids)],
        remove: (ids) => [removeRequests(organizationId, ids)],
      });
    });
  }

  /** Marks go first and bytes last: bytes without a row are then always found again. */
  private async removeRuns(organizationId: string, rows: readonly OldRun[]): Promise<void> {
    const marked = rows.filter(({ hasArtifacts }) => hasArtifacts).map(({ id }) => id);
    for (const id of marked) await this.objects.put(markOf(organizationId, id), Readable.from([]), { maxBytes: 0 });
    let logs: unknown[];
    do {
      logs = await this.rows(removeLogs(organizationId, idsOf(rows)));
    } while (logs.length === LOGS_LIMIT);
    const removed = await this.remove(organizationId, rows, {
      still: (ids) => [
        holdRuns(organizationId, ids),
        stillRemovableRuns(organizationId, ids, this.citations.conditions),
      ],
      remove: (ids) => removeRuns(organizationId, ids),
    });
    for (const id of marked) await this.removeBytes(organizationId, id, removed.includes(id));
  }

  private async remove(
    organizationId: string,
    rows: readonly OldRow[],
    steps: {
      /** The last one answers the rows that may go. */
      readonly still: (ids: readonly string[]) => readonly Statement[];
      readonly remove: (ids: readonly string[]) => readonly Statement[];
    },
  ): Promise<readonly string[]> {
    return this.transactions.owner(async (run) => {
      const taskIds = [...new Set(rows.map(({ taskId }) => taskId))];
      await run(holdTasks(organizationId, taskIds));
      let found: unknown[] = [];
      for (const each of steps.still(idsOf(rows))) found = await run(each);
      const ids = (found as readonly { id: string }[]).map(({ id }) => id);
      for (const each of steps.remove(ids)) await run(each);
      return ids;
    });
  }

  private async removeBytes(organizationId: string, runId: string, isGone: boolean): Promise<void> {
    if (isGone) await this.objects.deletePrefix(`organizations/${organizationId}/runs/${runId}`);
    await this.objects.delete(markOf(organizationId, runId));
  }

  /** Removes the bytes of runs whose process died between the rows and the bytes. */
  private async removeLeftBehind(signal: AbortSignal): Promise<void> {
    for await (const { key, storedAt } of this.objects.list(MARKS)) {
      if (signal.aborted) return;
      if (Date.now() - storedAt.getTime() < LEFT_BEHIND_MS) continue;
      const [organizationId, runId] = key.slice(MARKS.length + 1).split('.') as [string, string];
      const [row] = await this.rows(runIsGone(organizationId, runId));
      await this.removeBytes(organizationId, runId, row!.gone);
    }
  }

  private rows<Row>(query: Statement<Row>): Promise<Row[]> {
    return this.transactions.owner((run) => run(query));
  }
}

function markOf(organizationId: string, runId: string): string {
  return `${MARKS}/${organizationId}.${runId}`;
}

function idsOf(rows: readonly OldRow[]): string[] {
  return rows.map(({ id }) => id);
}

/** Walks from the oldest on, past rows that are still needed. */
async function untilDone<Row extends OldRow>(
  look: (after?: RetentionPosition) => Promise<Row[]>,
  signal: AbortSignal,
  remove: (rows: Row[]) => Promise<void>,
): Promise<void> {
  let found: Row[] = [];
  do {
    found = await look(found.at(-1));
    const removable = found.filter((row) => row.removable);
    if (removable.length > 0) await remove(removable);
  } while (found.length === RETENTION_LIMIT && !signal.aborted);
}
