import { Body, Controller, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EdgeErrors, withIssues } from '../../../kernel/errors/index.ts';
import { CallerGone, Endpoint } from '../../../kernel/http/index.ts';
import { BeatDto, LeaseIssues } from '../../../kernel/leases/index.ts';
import { HeartbeatDto, RunRunningDto, RunStatusDto } from './run-lease.dto.ts';
import { RunHeartbeatsService } from './run-heartbeats.service.ts';
import { RunLeasesService } from './run-leases.service.ts';
import { RunErrors } from '../run.errors.ts';
import { RunParams } from '../run.dto.ts';
import { LostRunsService } from './lost-runs.service.ts';

@ApiTags('Internal Runs')
@UseInterceptors(LostRunsService)
@Controller('internal/runs/:runId')
export class RunLeasesController {
  constructor(
    private readonly leases: RunLeasesService,
    private readonly heartbeats: RunHeartbeatsService,
  ) {}

  @Post('running')
  @Endpoint({
    operationId: 'runs.running',
    summary: 'Mark a run as running',
    description:
      'Stores the harness, model and workspace of the run. A repeat with the same values changes nothing; a repeat with other values is a conflict.',
    auth: 'service',
    returns: RunStatusDto,
    message: 'Run is running',
    errors: [RunErrors.leaseExpired, withIssues(EdgeErrors.stateConflict, LeaseIssues.alreadyRunning)],
  })
  running(@Param() { runId }: RunParams, @Body() body: RunRunningDto): Promise<RunStatusDto> {
    return this.leases.running(runId, body);
  }

  @Post('heartbeat')
  @Endpoint({
    operationId: 'runs.heartbeat',
    summary: 'Renew the lease of a run',
    description:
      'The answer tells the worker whether to stop and what budget is left, and brings its next `executionToken`. With `waitSeconds` it comes as soon as it says something new: the run was asked to stop or has ended, work dispatch stopped or runs again, the `authorizationEpoch` advanced. Where `cancelRequested` is true it comes at once, so do not wait any more then. If the service could take no heartbeats for half a lease or longer, leases that lapsed in that time can still be renewed until a whole period after it.',
    auth: 'service',
    returns: HeartbeatDto,
    message: 'Lease renewed',
    errors: [RunErrors.leaseExpired],
  })
  heartbeat(
    @Param() { runId }: RunParams,
    @Body() body: BeatDto,
    @CallerGone() gone: AbortSignal,
  ): Promise<HeartbeatDto> {
    return this.heartbeats.heartbeat(runId, body, gone);
  }
}
