import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { withIssues } from '../../kernel/errors/index.ts';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { CancelRunDto, RunDetailDto, RunDto, RunListQuery, OwnedRunParams } from './run.dto.ts';
import { RunErrors, RunIssues } from './run.errors.ts';
import { RunCancellationService } from './attempts/run-cancellation.service.ts';
import { RunLogDto, RunLogListQuery } from './logs/run-log.dto.ts';
import { RunLogsService } from './logs/run-logs.service.ts';
import { RunsService } from './runs.service.ts';

@ApiTags('runs')
@Controller('organizations/:organizationId/runs')
export class RunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly runLogs: RunLogsService,
    private readonly cancellation: RunCancellationService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List the runs',
    description: 'The attempts at tasks, newest first.',
    auth: 'owner',
    scope: 'read',
    returns: RunDto,
    list: true,
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: RunListQuery,
  ): Promise<Page<RunDto>> {
    return this.runs.list(owner, organizationId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read a run',
    auth: 'owner',
    scope: 'read',
    returns: RunDetailDto,
    errors: [RunErrors.notFound],
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, id }: OwnedRunParams): Promise<RunDetailDto> {
    return this.runs.read(owner, organizationId, id);
  }

  @Get(':id/logs')
  @Endpoint({
    summary: 'List the log of a run',
    description: 'In the order of the worker’s sequences.',
    auth: 'owner',
    scope: 'read',
    returns: RunLogDto,
    list: true,
    errors: [RunErrors.notFound],
  })
  logs(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, id }: OwnedRunParams,
    @Query() query: RunLogListQuery,
  ): Promise<Page<RunLogDto>> {
    return this.runLogs.list(owner, organizationId, id, query);
  }

  @Post(':id/cancel')
  @Endpoint({
    summary: 'Request cancellation of a run',
    description:
      'The worker learns of it from its next heartbeat. A run that completes before that completes normally; a run that does not stop within 60 s is ended by the service. The task then fails with `run_cancelled`, or gets another run with `requeue`. A repeat gets the same answer; a repeat with another `requeue` is a conflict.',
    auth: 'owner',
    scope: 'work',
    returns: RunDetailDto,
    message: 'Run asked to stop',
    errors: [RunErrors.notFound, withIssues(RunErrors.ended, RunIssues.cancelledOtherwise)],
    idempotencyKey: 'optional',
  })
  cancel(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, id }: OwnedRunParams,
    @Body() body: CancelRunDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<RunDetailDto> {
    return this.cancellation.cancel(owner, organizationId, id, body, request);
  }
}
