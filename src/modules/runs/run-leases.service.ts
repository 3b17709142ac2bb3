import { Injectable } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import { sha256 } from '../../kernel/crypto/index.ts';
import { activeEntry, type Statement, Transactions } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { WorkSignals } from '../tasks/index.ts';
import { CAPABILITY_SECONDS, ExecutionTokens } from './execution-tokens.ts';
import type { LeaseDto } from './run-completion.dto.ts';
import type { HeartbeatDto, ReleasedDto, RunRunningDto, RunStatusDto } from './run-lease.dto.ts';
import { heartbeatIntervalMs } from './run-lease.policy.ts';
import { beat, markRunning, releaseClaim, type ReleaseRow } from './run-lease.queries.ts';
import { RunErrors } from './run.errors.ts';

/** The calls that keep a claim or a run, or give it back; each is one round trip. */
@Injectable()
export class RunLeasesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: ExecutionTokens,
    private readonly signals: WorkSignals,
    private readonly config: Config,
  ) {}

  async release(runRequestId: string, { organizationId, leaseToken }: LeaseDto): Promise<ReleasedDto> {
    const query = releaseClaim(organizationId, runRequestId, sha256(leaseToken));
    const { released, started } = (await this.one<ReleaseRow>(organizationId, query))!;
    if (!released) {
      if (!started) throw new ApiError(RunErrors.leaseExpired);
      const issue = { path: '', code: 'already_started', message: 'The run has started: complete or fail it.' };
      throw new ApiError(EdgeErrors.stateConflict, { issues: [issue] });
    }
    this.signals.ready(organizationId, 1);
    return { runRequestId, status: 'queued' };
  }

  async running(runId: string, { organizationId, leaseToken, ...workplace }: RunRunningDto): Promise<RunStatusDto> {
    const fence = { organizationId, runId, tokenHash: sha256(leaseToken) };
    const row = await this.one(organizationId, markRunning(fence, workplace));
    if (!row) throw new ApiError(RunErrors.leaseExpired);
    if (!row.moved) {
      const issue = { path: '', code: 'already_running', message: 'It is running with other values already.' };
      throw new ApiError(EdgeErrors.stateConflict, { issues: [issue] });
    }
    return { status: 'running' };
  }

  async heartbeat(runId: string, { organizationId, leaseToken }: LeaseDto): Promise<HeartbeatDto> {
    const { leaseSeconds } = this.config.runs;
    const fence = { organizationId, runId, tokenHash: sha256(leaseToken) };
    const row = await this.one(organizationId, beat(fence, { leaseSeconds, capabilitySeconds: CAPABILITY_SECONDS }));
    if (!row) throw new ApiError(RunErrors.leaseExpired);
    const { agentRuns, attemptsInPhase, replans, actions } = row;
    return {
      leaseExpiresAt: row.leaseExpiresAt,
      heartbeatIntervalMs: heartbeatIntervalMs(leaseSeconds),
      cancelRequested: row.cancelRequested,
      workDispatchStopped: row.workDispatchStopped,
      budget: { agentRuns, attemptsInPhase, replans, actions },
      authorizationEpoch: row.authorizationEpoch,
      executionToken: row.renewed ? await this.tokens.issue({ ...row, organizationId, runId }) : null,
    };
  }

  private async one<Row>(organizationId: string, query: Statement<Row>): Promise<Row | undefined> {
    const [rows] = await this.transactions.batch(activeEntry(organizationId, RunErrors.leaseExpired), [query]);
    return (rows as Row[])[0];
  }
}
