import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { joinLinesOf } from './dispatch-lines.queries.ts';
import { exhaustedAmong, insertRequests } from './run-request-queue.queries.ts';
import { WorkSignals } from './work-signals.port.ts';

/** Queues run requests and announces them. Ignores stop, profile and capacity: a request just waits. */
@Injectable()
export class RunRequestQueueService {
  constructor(private readonly signals: WorkSignals) {}

  /**
   * Queues one request for each of these tasks that is `pending`, has none open and has run budget left. The caller
   * holds the tasks' locks. Answers the ids of those whose budget is used up: they get no request and have to fail. Two
   * round trips, three where something is ready.
   */
  async queue(tx: Tx, taskIds: readonly string[]): Promise<string[]> {
    if (taskIds.length === 0) return [];
    const queued = await tx.rows(insertRequests(tx.organizationId, taskIds));
    const ready = queued.filter((request) => request.ready);
    await this.announce(
      tx,
      ready.map(({ agentProfileId }) => agentProfileId),
    );
    const exhausted = await tx.rows(exhaustedAmong(tx.organizationId, taskIds));
    return exhausted.map(({ id }) => id);
  }

  /** Puts ready work into the lines, and wakes waiting claims after the commit; `profileIds` has one per request. */
  async announce(tx: Tx, profileIds: readonly string[]): Promise<void> {
    if (profileIds.length === 0) return;
    await tx.rows(joinLinesOf(tx.organizationId, [...new Set(profileIds)]));
    tx.afterCommit(() => this.signals.ready(tx.organizationId, profileIds.length));
  }
}
