import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { LiveExecutions } from '../../../kernel/auth/index.ts';
import type { Tx } from '../../../kernel/database/index.ts';
import { LeaseWatcher } from '../../../kernel/leases/index.ts';
import { type ProfileFollower, ProfileRemoved } from '../../agent-profiles/index.ts';
import { WorkInFlight, type WorkHolder } from '../../organizations/index.ts';
import { RunSignalsService } from '../run-signals.service.ts';
import { endLeasesOf, executionState, liveRunCount, lockCallingRun, taskOfRun } from './live-run.queries.ts';
import { extendClaims, extendRunLeases } from './run-renewal.queries.ts';

/** Answers the rest of the service about live runs, and registers how their leases survive an outage. */
@Injectable()
export class LiveRun implements WorkHolder, ProfileFollower {
  constructor(
    executions: LiveExecutions,
    workInFlight: WorkInFlight,
    profiles: ProfileRemoved,
    leases: LeaseWatcher,
    private readonly signals: RunSignalsService,
    { runs }: Config,
  ) {
    leases.register({ kind: 'run', leaseSeconds: runs.leaseSeconds, renew: extendRunLeases() });
    leases.register({ kind: 'claim', leaseSeconds: runs.claimLeaseSeconds, renew: extendClaims() });
    executions.register('task_run', { state: executionState, boundTo: taskOfRun, hold: lockCallingRun });
    workInFlight.register(this);
    profiles.register(this);
  }

  async workInFlight(tx: Tx): Promise<{ runningRuns: number }> {
    const [row] = await tx.rows(liveRunCount(tx.organizationId));
    return row!;
  }

  /** Fences the profile's runs, so that nothing of them lands any more; the sweep ends them. */
  async profileRemoved(tx: Tx, agentProfileId: string): Promise<void> {
    await tx.rows(endLeasesOf(tx.organizationId, agentProfileId));
    tx.afterCommit(() => this.signals.newsOfAll(tx.organizationId));
  }
}
