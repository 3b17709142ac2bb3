import { Body, Controller, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ClaimFiltersService } from '../../agent-profiles/index.ts';
import { TaskIssues } from '../../tasks/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../../kernel/errors/index.ts';
import { CallerGone, Endpoint, type Warned } from '../../../kernel/http/index.ts';
import { LeaseDto } from '../../../kernel/leases/index.ts';
import { ClaimDto, ClaimedDto } from './claim.dto.ts';
import { ClaimsService } from './claims.service.ts';
import { ReleasedDto } from '../leases/run-lease.dto.ts';
import { RunLeasesService } from '../leases/run-leases.service.ts';
import { RunRequestParams, StartedRunDto, StartRunDto } from '../leases/run-start.dto.ts';
import { RunStartService } from '../leases/run-start.service.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';
import { LostRunsService } from '../leases/lost-runs.service.ts';

@ApiTags('Internal Runs')
@UseInterceptors(LostRunsService)
@Controller('internal/run-requests')
export class RunRequestsRuntimeController {
  constructor(
    private readonly claims: ClaimsService,
    private readonly filters: ClaimFiltersService,
    private readonly starts: RunStartService,
    private readonly leases: RunLeasesService,
  ) {}

  @Post('claim')
  @Endpoint({
    summary: 'Claim ready work',
    description:
      'Serves the organizations in turn, the least recently served first; within an organization by priority. Start or release each item before its `claimExpiresAt`; its `leaseToken` holds it until then. With `waitSeconds` the call answers as soon as there is work, and with an empty array when the time is up or the service stops. What `organizationIds` and `profileKeys` name that nobody has counts for nothing, and `meta.warnings` says so; as found at most 30 s before, and by a claim that got all it asked for only if another one with the same filters has looked.',
    auth: 'service',
    returns: ClaimedDto,
    array: true,
    warns: true,
    message: 'Work claimed',
  })
  async claim(@Body() body: ClaimDto, @CallerGone() gone: AbortSignal): Promise<ClaimedDto[] | Warned<ClaimedDto[]>> {
    return this.filters.warn(body, await this.claims.claim(body, gone));
  }

  @Post(':runRequestId/start')
  @Endpoint({
    summary: 'Start a run',
    description:
      'Checks again whether the work may start, and creates the run under its lease; the `leaseToken` of the claim fences the run until it ends. A repeat with the same `runId`, token and worker gets the same run with a fresh `executionToken`. Conflicts that a later start may pass (`capacity_exceeded`, `work_dispatch_stopped`, `profile_disabled`, `task_not_ready` of a task that is not due) leave claim and counters unchanged, and so does `run_id_in_use`; any other conflict ends the claim.',
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
        EdgeIssues.profileDisabled,
        RunIssues.capacityExceeded,
      ),
    ],
  })
  start(@Param() { runRequestId }: RunRequestParams, @Body() body: StartRunDto): Promise<StartedRunDto> {
    return this.starts.start(runRequestId, body);
  }

  @Post(':runRequestId/release')
  @Endpoint({
    summary: 'Release a claim',
    description:
      'The request rests, so that other ready work goes first: for a second, doubled with each release in a row until a start, at most a minute. A release counts no attempt. Releasing a claim that was started is a conflict: complete or fail its run.',
    auth: 'service',
    returns: ReleasedDto,
    message: 'Claim released',
    errors: [RunErrors.leaseExpired, withIssues(EdgeErrors.stateConflict, RunIssues.alreadyStarted)],
  })
  release(@Param() { runRequestId }: RunRequestParams, @Body() body: LeaseDto): Promise<ReleasedDto> {
    return this.leases.release(runRequestId, body);
  }
}
