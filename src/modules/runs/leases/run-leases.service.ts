import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { type Shared, Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors, issueAt } from '../../../kernel/errors/index.ts';
import { type LeaseDto, LeaseIssues } from '../../../kernel/leases/index.ts';
import { WorkSignals } from '../../tasks/index.ts';
import type { ReleasedDto, RunRunningDto, RunStatusDto } from './run-lease.dto.ts';
import { markRunning, releaseClaim, type RunningCall, type RunningRow, lockedRun } from './run-lease.queries.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';

/** Releases claims and marks runs as running: each one round trip, which moves share. */
@Injectable()
export class RunLeasesService {
  private readonly moves: Shared<RunningCall, RunningRow>;

  constructor(
    private readonly transactions: Transactions,
    private readonly signals: WorkSignals,
  ) {
    this.moves = transactions.shared<RunningCall, RunningRow>(
      { keysOf: lockedRun, statements: (calls) => [markRunning(calls)] },
      RunErrors.leaseExpired,
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
    this.signals.ready(organizationId, 1);
    return { runRequestId, status: 'queued' };
  }

  async running(runId: string, { organizationId, leaseToken, ...workplace }: RunRunningDto): Promise<RunStatusDto> {
    const row = await this.moves.run({ organizationId, runId, tokenHash: sha256(leaseToken), ...workplace });
    if (!row) throw new ApiError(RunErrors.leaseExpired);
    if (!row.moved) {
      const issue = issueAt('', LeaseIssues.alreadyRunning);
      throw new ApiError(EdgeErrors.stateConflict, { issues: [issue] });
    }
    return { status: 'running', cancelRequested: row.cancelRequested };
  }
}
