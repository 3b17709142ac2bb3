import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { OrganizationParams } from '../../organizations/index.ts';
import { RunRequestDto, RunRequestListQuery, RunRequestParams } from './run-request.dto.ts';
import { TaskErrors } from '../task.errors.ts';
import { RunRequestsService } from './run-requests.service.ts';

@ApiTags('runs')
@Controller('organizations/:organizationId/run-requests')
export class RunRequestsController {
  constructor(private readonly requests: RunRequestsService) {}

  @Get()
  @Endpoint({ summary: 'List the run requests', auth: 'owner', scope: 'read', returns: RunRequestDto, list: true })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: RunRequestListQuery,
  ): Promise<Page<RunRequestDto>> {
    return this.requests.list(owner, organizationId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read a run request',
    auth: 'owner',
    scope: 'read',
    returns: RunRequestDto,
    errors: [TaskErrors.runRequestNotFound],
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, id }: RunRequestParams): Promise<RunRequestDto> {
    return this.requests.read(owner, organizationId, id);
  }
}
