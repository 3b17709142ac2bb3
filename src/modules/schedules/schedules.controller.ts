import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import {
  OccurrenceListQuery,
  ScheduleDto,
  ScheduleListQuery,
  ScheduleOccurrenceDto,
  ScheduleParams,
} from './schedule.dto.ts';
import { ScheduleErrors } from './schedule.errors.ts';
import { SchedulesService } from './schedules.service.ts';

@ApiTags('schedules')
@Controller('organizations/:organizationId/schedules')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Get()
  @Endpoint({ summary: 'List the schedules', auth: 'owner', scope: 'read', returns: ScheduleDto, list: true })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: ScheduleListQuery,
  ): Promise<Page<ScheduleDto>> {
    return this.schedules.list(owner, organizationId, query);
  }

  @Get(':scheduleRef')
  @Endpoint({
    summary: 'Read a schedule',
    auth: 'owner',
    scope: 'read',
    returns: ScheduleDto,
    errors: [ScheduleErrors.notFound],
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, scheduleRef }: ScheduleParams): Promise<ScheduleDto> {
    return this.schedules.read(owner, organizationId, scheduleRef);
  }

  @Post(':scheduleRef/pause')
  @Endpoint({
    summary: 'Pause a schedule',
    description: 'No task is created from the answer on. The history stays; pausing a paused schedule changes nothing.',
    auth: 'owner',
    scope: 'work',
    returns: ScheduleDto,
    message: 'Schedule paused',
    errors: [ScheduleErrors.notFound],
    idempotencyKey: 'optional',
  })
  pause(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ScheduleDto> {
    return this.schedules.pause(owner, organizationId, scheduleRef, request);
  }

  @Post(':scheduleRef/resume')
  @Endpoint({
    summary: 'Resume a schedule',
    description:
      'The next slot is the first in the future: slots that passed during the pause are not made up for. A schedule that fires once and has not fired does so now if its time has passed.',
    auth: 'owner',
    scope: 'work',
    returns: ScheduleDto,
    message: 'Schedule resumed',
    errors: [ScheduleErrors.notFound, ScheduleErrors.profileGone],
    idempotencyKey: 'optional',
  })
  resume(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ScheduleDto> {
    return this.schedules.resume(owner, organizationId, scheduleRef, request);
  }

  @Post(':scheduleRef/run-now')
  @Endpoint({
    summary: 'Create the task of a schedule now',
    description:
      'Works while the schedule is paused too, and keeps its next slot. Refused while work dispatch is stopped, the previous task has not ended, or a profile of the schedule is disabled.',
    auth: 'owner',
    scope: 'work',
    returns: ScheduleOccurrenceDto,
    message: 'Task created',
    errors: [
      ScheduleErrors.notFound,
      ScheduleErrors.dispatchStopped,
      ScheduleErrors.previousTaskLives,
      ScheduleErrors.profileDisabled,
    ],
    idempotencyKey: 'optional',
  })
  runNow(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ScheduleOccurrenceDto> {
    return this.schedules.runNow(owner, organizationId, scheduleRef, request);
  }

  @Get(':scheduleRef/occurrences')
  @Endpoint({
    summary: 'List the occurrences of a schedule',
    description:
      'One row for each slot, by planned time: whether it created a task, and why not. Of the slots that passed during a downtime or a stop of work dispatch only the newest 100 are listed; `state.missedCount` counts all.',
    auth: 'owner',
    scope: 'read',
    returns: ScheduleOccurrenceDto,
    list: true,
    errors: [ScheduleErrors.notFound],
  })
  occurrences(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Query() query: OccurrenceListQuery,
  ): Promise<Page<ScheduleOccurrenceDto>> {
    return this.schedules.occurrences(owner, organizationId, scheduleRef, query);
  }
}
