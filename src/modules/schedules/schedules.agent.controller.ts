import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AgentCaller } from '../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint, type Existing } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import type { Agent } from './acting-profiles.service.ts';
import {
  ActingDto,
  ActingQuery,
  AgentScheduleListQuery,
  CreateScheduleDto,
  DeleteScheduleQuery,
  UpdateScheduleDto,
} from './schedule-body.dto.ts';
import { ScheduleDto, ScheduleParams } from './schedule.dto.ts';
import { SchedulesAgentService } from './schedules.agent.service.ts';
import { ScheduleErrors, ScheduleIssues } from './schedule.errors.ts';

const AUTH = ['service', 'execution'] as const;
const VISIBILITY =
  'A department profile sees schedules that profiles of its department own; operator, chat and runtimes see all.';
const RIGHTS =
  'A department profile may change schedules that it owns, chat and operator also those of origin `user`; only the service changes those of origin `system`.';
const TOO_FREQUENT = withIssues(EdgeErrors.validationFailed, ScheduleIssues.tooFrequent);
const REFUSALS = [EdgeErrors.notFound, ScheduleErrors.notYours, ScheduleErrors.profileDisabled];

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/schedules')
export class SchedulesAgentController {
  constructor(private readonly schedules: SchedulesAgentService) {}

  @Get()
  @Endpoint({
    summary: 'List schedules',
    description: VISIBILITY,
    auth: AUTH,
    returns: ScheduleDto,
    list: true,
    errors: [EdgeErrors.notFound, ScheduleErrors.profileDisabled],
  })
  list(
    @AgentCaller() agent: Agent,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: AgentScheduleListQuery,
  ): Promise<Page<ScheduleDto>> {
    return this.schedules.list(agent, organizationId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create a schedule',
    description:
      'The acting profile owns the schedule. The service records where it comes from: the calling execution, or the live run or chat turn that a runtime names. A repeat of a key with the same details returns the schedule that they created; with other details it is refused.',
    auth: AUTH,
    scope: 'work',
    returns: ScheduleDto,
    status: 201,
    message: 'Schedule created',
    existing: 'There is such a schedule',
    errors: [
      TOO_FREQUENT,
      EdgeErrors.notFound,
      ScheduleErrors.keyInUse,
      ScheduleErrors.profileDisabled,
      ScheduleErrors.executionOver,
    ],
  })
  create(
    @AgentCaller() agent: Agent,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: CreateScheduleDto,
  ): Promise<ScheduleDto | Existing<ScheduleDto>> {
    return this.schedules.create(agent, organizationId, body);
  }

  @Get(':scheduleRef')
  @Endpoint({
    summary: 'Read a schedule',
    description: VISIBILITY,
    auth: AUTH,
    returns: ScheduleDto,
    errors: [EdgeErrors.notFound, ScheduleErrors.profileDisabled],
  })
  read(
    @AgentCaller() agent: Agent,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Query() query: ActingQuery,
  ): Promise<ScheduleDto> {
    return this.schedules.read(agent, organizationId, scheduleRef, query);
  }

  @Patch(':scheduleRef')
  @Endpoint({
    summary: 'Change a schedule',
    description: `Changes its name, timing or task. Owner, origin, history and status stay. ${RIGHTS}`,
    auth: AUTH,
    scope: 'work',
    returns: ScheduleDto,
    message: 'Schedule updated',
    errors: [TOO_FREQUENT, ...REFUSALS, ScheduleErrors.changedMeanwhile],
  })
  update(
    @AgentCaller() agent: Agent,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Body() body: UpdateScheduleDto,
  ): Promise<ScheduleDto> {
    return this.schedules.update(agent, organizationId, scheduleRef, body);
  }

  @Post(':scheduleRef/pause')
  @Endpoint({
    summary: 'Pause a schedule',
    description: `No task is created from the answer on. ${RIGHTS}`,
    auth: AUTH,
    scope: 'work',
    returns: ScheduleDto,
    message: 'Schedule paused',
    errors: REFUSALS,
  })
  pause(
    @AgentCaller() agent: Agent,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Body() body: ActingDto,
  ): Promise<ScheduleDto> {
    return this.schedules.pause(agent, organizationId, scheduleRef, body);
  }

  @Post(':scheduleRef/resume')
  @Endpoint({
    summary: 'Resume a schedule',
    description: `The next slot is the first in the future; a schedule that fires once and has not fired does so now if its time has passed. ${RIGHTS}`,
    auth: AUTH,
    scope: 'work',
    returns: ScheduleDto,
    message: 'Schedule resumed',
    errors: [...REFUSALS, ScheduleErrors.profileGone],
  })
  resume(
    @AgentCaller() agent: Agent,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Body() body: ActingDto,
  ): Promise<ScheduleDto> {
    return this.schedules.resume(agent, organizationId, scheduleRef, body);
  }

  @Delete(':scheduleRef')
  @Endpoint({
    summary: 'Delete a schedule',
    description: `Hides the schedule at once and frees its key; tasks that it created stay. ${RIGHTS}`,
    auth: AUTH,
    scope: 'work',
    returns: ScheduleDto,
    message: 'Schedule deleted',
    errors: [...REFUSALS, ScheduleErrors.changedMeanwhile],
  })
  delete(
    @AgentCaller() agent: Agent,
    @Param() { organizationId, scheduleRef }: ScheduleParams,
    @Query() query: DeleteScheduleQuery,
  ): Promise<ScheduleDto> {
    return this.schedules.delete(agent, organizationId, scheduleRef, query);
  }
}
