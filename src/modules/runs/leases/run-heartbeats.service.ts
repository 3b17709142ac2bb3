import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { CAPABILITY_SECONDS } from '../../../kernel/auth/index.ts';
import { Clock } from '../../../kernel/clock/index.ts';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { type Shared, Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Draining } from '../../../kernel/http/index.ts';
import { type BeatDto, HEARTBEAT_GAP_MS, HeartbeatLine, heartbeatIntervalMs } from '../../../kernel/leases/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { OrganizationSignalsService } from '../../organizations/index.ts';
import { ExecutionTokensService } from './execution-tokens.service.ts';
import type { HeartbeatDto } from './run-lease.dto.ts';
import { lockedRun, renewRunLeases, type RunFence, type RunHeartbeatRow } from './run-lease.queries.ts';
import { RunErrors } from '../run.errors.ts';
import { RunSignalsService } from '../run-signals.service.ts';

/**
 * Renews the leases of runs, in round trips that heartbeats share. One that waits renews at once, waits without a
 * connection, and renews again only where it was told of something.
 */
@Injectable()
export class RunHeartbeatsService implements BeforeApplicationShutdown {
  private readonly shared: Shared<RunFence, RunHeartbeatRow>;
  private readonly line: HeartbeatLine;
  private readonly intervalMs: number;

  constructor(
    transactions: Transactions,
    signals: RunSignalsService,
    organizations: OrganizationSignalsService,
    private readonly tokens: ExecutionTokensService,
    { runs }: Config,
    draining: Draining,
    clock: Clock,
    metrics: Metrics,
  ) {
    const seconds = { leaseSeconds: runs.leaseSeconds, capabilitySeconds: CAPABILITY_SECONDS };
    this.shared = transactions.shared(
      { keysOf: lockedRun, statements: (calls) => [renewRunLeases(calls, seconds)], restMs: HEARTBEAT_GAP_MS },
      RunErrors.leaseExpired,
    );
    this.intervalMs = heartbeatIntervalMs(runs.leaseSeconds);
    this.line = new HeartbeatLine(draining, clock, metrics, 'run');
    signals.onNews((key) => this.line.tell(key));
    signals.onGap(() => this.line.tellAll());
    organizations.onChanged((organizationId) => this.line.tell(organizationId));
  }

  beforeApplicationShutdown(): void {
    this.line.end();
  }

  /** Number of heartbeats of this process that wait. */
  get waiting(): number {
    return this.line.idle;
  }

  async heartbeat(
    runId: string,
    { organizationId, leaseToken, waitSeconds }: BeatDto,
    gone: AbortSignal,
  ): Promise<HeartbeatDto> {
    const fence = { organizationId, runId, tokenHash: sha256(leaseToken) };
    // No longer than until the next heartbeat is due.
    const waitMs = Math.min(waitSeconds * 1_000, this.intervalMs);
    const row = await this.line.hear([runId, organizationId], { waitMs, gone }, () => this.renew(fence), isNews);
    const { agentRuns, attemptsInPhase, replans, actions } = row;
    return {
      leaseExpiresAt: row.leaseExpiresAt,
      heartbeatIntervalMs: this.intervalMs,
      cancelRequested: row.cancelRequested,
      workDispatchStopped: row.workDispatchStopped,
      budget: { agentRuns, attemptsInPhase, replans, actions },
      authorizationEpoch: row.authorizationEpoch,
      executionToken: row.renewed ? this.tokens.issue({ ...row, organizationId, runId }) : null,
    };
  }

  private async renew(fence: RunFence): Promise<RunHeartbeatRow> {
    const row = await this.shared.run(fence);
    if (!row) throw new ApiError(RunErrors.leaseExpired);
    return row;
  }
}

/** What an answer says, beside the lease. */
const SAID = [
  'workDispatchStopped',
  'authorizationEpoch',
  'agentRuns',
  'attemptsInPhase',
  'replans',
  'actions',
] as const satisfies readonly (keyof RunHeartbeatRow)[];

/** A request to stop, a new token, or anything that was not so when the heartbeat came. */
function isNews(row: RunHeartbeatRow, first: RunHeartbeatRow): boolean {
  return row.cancelRequested || row.renewed || SAID.some((fact) => row[fact] !== first[fact]);
}
