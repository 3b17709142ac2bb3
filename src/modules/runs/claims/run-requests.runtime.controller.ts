import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TaskIssues } from '../../tasks/index.ts';
import { EdgeErrors, withIssues } from '../../../kernel/errors/index.ts';
import { CallerGone, Endpoint } from '../../../kernel/http/index.ts';
import { LeaseDto } from '../../../kernel/leases/index.ts';
import { ClaimDto, ClaimedDto } from './claim.dto.ts';
import { ClaimsService } from './claims.service.ts';
import { ReleasedDto } from '../leases/run-lease.dto.ts';
import { RunLeasesService } from '../leases/run-leases.service.ts';
import { RunRequestParams, StartedRunDto, StartRunDto } from '../leases/run-start.dto.ts';
import { RunStartService } from '../leases/run-start.service.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';

@ApiTags('Internal Runs')
@Controller('internal/run-requests')
export class InternalRunRequestsController {
  constructor(
    private readonly claims: ClaimsService,
    private readonly starts: RunStartService,
    private readonly leases: RunLeasesService,
  ) {}

  @Post('claim')
  @Endpoint({
    operationId: 'internalRunRequestsClaim',
    summary: 'Claim ready work',
    description:
      'Takes turns among the organizations, the least recently served first; within one by priority. Each item is held under its own `leaseToken` until `claimExpiresAt`: start or release it before. With `waitSeconds` the call answers as soon as there is work, and an empty array when the time is up or the service stops.',
    auth: 'service',
    returns: ClaimedDto,
    array: true,
    message: 'Work claimed',
  })
  claim(@Body() body: ClaimDto, @CallerGone() gone: AbortSignal): Promise<ClaimedDto[]> {
    return this.claims.claim(body, gone);
  }

  @Post(':runRequestId/start')
  @Endpoint({
    operationId: 'internalRunRequestsStart',
    summary: 'Start a run',
    description:
      'Decides again whether the work may start, and makes the run under its lease; the `leaseToken` of the claim is its fence until it ends. A repeat with the same `runId`, token and worker answers the same run with a fresh `executionToken`. Conflicts that a later start may pass (`capacity_exceeded`, `work_dispatch_stopped`, `profile_disabled`, `task_not_ready` of a task that is not due) leave claim and counters as they are; after the others the claim is over.',
    auth: 'service',
    returns: StartedRunDto,
    message: 'Run started',
    errors: [
      RunErrors.leaseExpired,
      withIssues(
        EdgeErrors.stateConflict,
        RunIssues.runIdInUse,
        TaskIssues.taskEnded,
        RunIssues.taskNotReady,
        TaskIssues.budgetExhausted,
        RunIssues.workDispatchStopped,
        RunIssues.profileDisabled,
        RunIssues.capacityExceeded,
      ),
    ],
  })
  start(@Param() { runRequestId }: RunRequestParams, @Body() body: StartRunDto): Promise<StartedRunDto> {
    return this.starts.start(runRequestId, body);
  }

  @Post(':runRequestId/release')
  @Endpoint({
    operationId: 'internalRunRequestsRelease',
    summary: 'Give a claim back',
    description:
      'The work rests, so that other ready work goes first: a second, doubled with each release in a row until it is started, at most a minute. No attempt is counted. A claim that was started is a conflict.',
    auth: 'service',
    returns: ReleasedDto,
    message: 'Claim released',
    errors: [RunErrors.leaseExpired, withIssues(EdgeErrors.stateConflict, RunIssues.alreadyStarted)],
  })
  release(@Param() { runRequestId }: RunRequestParams, @Body() body: LeaseDto): Promise<ReleasedDto> {
    return this.leases.release(runRequestId, body);
  }
}
