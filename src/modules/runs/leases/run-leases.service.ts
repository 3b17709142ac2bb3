import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { CAPABILITY_SECONDS } from '../../../kernel/auth/index.ts';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { type Shared, Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors, issueAt } from '../../../kernel/errors/index.ts';
import { HEARTBEAT_GAP_MS, heartbeatIntervalMs, type LeaseDto, LeaseIssues } from '../../../kernel/leases/index.ts';
import { ExecutionTokensService } from './execution-tokens.service.ts';
import type { HeartbeatDto, ReleasedDto, RunRunningDto, RunStatusDto } from './run-lease.dto.ts';
import {
  renewRunLeases,
  type RunHeartbeatRow,
  markRunning,
  releaseClaim,
  type RunFence,
  type RunningCall,
  type RunningRow,
  lockedRun,
} from './run-lease.queries.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';

/** Releases claims, marks runs as running, renews their leases: each one round trip, which heartbeats and moves share. */
@Injectable()
export class RunLeasesService {
  private readonly moves: Shared<RunningCall, RunningRow>;
  private readonly heartbeats: Shared<RunFence, RunHeartbeatRow>;

  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: ExecutionTokensService,
    private readonly config: Config,
  ) {
    const seconds = { leaseSeconds: config.runs.leaseSeconds, capabilitySeconds: CAPABILITY_SECONDS };
    const gone = RunErrors.leaseExpired;
    this.moves = transactions.shared<RunningCall, RunningRow>(
      { keysOf: lockedRun, statements: (calls) => [markRunning(calls)] },
      gone,
    );
    this.heartbeats = transactions.shared(
      { keysOf: lockedRun, statements: (calls) => [renewRunLeases(calls, seconds)], restMs: HEARTBEAT_GAP_MS },
      gone,
    );
  }

  async release(runRequestId: string, { organizationId, leaseToken }: LeaseDto): Promise<ReleasedDto> {
    const query = releaseClaim(organizationId, runRequestId, sha256(leaseToken));
    const [[row]] = await this.transactions.batch(activeAccess(organizationId, RunErrors.leaseExpired), [query]);
    const { released, started } = row!;
    if (!released) {
      if (!started) throw new ApiError(RunErrors.leaseExpired);
      const issue = issueAt('', RunIssues.alreadyStarted);
      throw new ApiError(EdgeErrors.stateConflict, { issues: [issue] });
    }
    return { runRequestId, status: 'queued' };
  }

  async running(runId: string, { organizationId, leaseToken, ...workplace }: RunRunningDto): Promise<RunStatusDto> {
    const row = await this.moves.run({ organizationId, runId, tokenHash: sha256(leaseToken), ...workplace });
    if (!row) throw new ApiError(RunErrors.leaseExpired);
    if (!row.moved) {
      const issue = issueAt('', LeaseIssues.alreadyRunning);
      throw new ApiError(EdgeErrors.stateConflict, { issues: [issue] });
    }
    return { status: 'running' };
  }

  async heartbeat(runId: string, { organizationId, leaseToken }: LeaseDto): Promise<HeartbeatDto> {
    const row = await this.heartbeats.run({ organizationId, runId, tokenHash: sha256(leaseToken) });
    if (!row) throw new ApiError(RunErrors.leaseExpired);
    const { agentRuns, attemptsInPhase, replans, actions } = row;
    return {
      leaseExpiresAt: row.leaseExpiresAt,
      heartbeatIntervalMs: heartbeatIntervalMs(this.config.runs.leaseSeconds),
      cancelRequested: row.cancelRequested,
      workDispatchStopped: row.workDispatchStopped,
      budget: { agentRuns, attemptsInPhase, replans, actions },
      authorizationEpoch: row.authorizationEpoch,
      executionToken: row.renewed ? this.tokens.issue({ ...row, organizationId, runId }) : null,
    };
  }
}
