import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EdgeErrors, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { LeaseDto, LeaseIssues } from '../../../kernel/leases/index.ts';
import { HeartbeatDto, RunRunningDto, RunStatusDto } from './run-lease.dto.ts';
import { RunLeasesService } from './run-leases.service.ts';
import { RunErrors } from '../run.errors.ts';
import { RunParams } from '../run.dto.ts';

@ApiTags('Internal Runs')
@Controller('internal/runs/:runId')
export class RunLeasesController {
  constructor(private readonly leases: RunLeasesService) {}

  @Post('running')
  @Endpoint({
    summary: 'Say that a run is running, and where',
    description: 'A repeat with the same values changes nothing; with other values it is a conflict.',
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
    summary: 'Renew the lease of a run',
    description:
      'Also how a worker hears that it should stop, what budget is left, and gets its next `executionToken`. A lease that lapsed while the service itself could take no heartbeat, for half a lease or longer, is renewed all the same until a whole period after that.',
    auth: 'service',
    returns: HeartbeatDto,
    message: 'Lease renewed',
    errors: [RunErrors.leaseExpired],
  })
  heartbeat(@Param() { runId }: RunParams, @Body() body: LeaseDto): Promise<HeartbeatDto> {
    return this.leases.heartbeat(runId, body);
  }
}
