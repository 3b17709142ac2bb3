import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { OrganizationParams } from '../organization.dto.ts';
import { PutWorkDispatchDto, WorkDispatchDto } from './work-dispatch.dto.ts';
import { WorkDispatchService } from './work-dispatch.service.ts';

@ApiTags('organizations')
@Controller('organizations/:organizationId/work-dispatch')
export class WorkDispatchController {
  constructor(private readonly workDispatch: WorkDispatchService) {}

  @Get()
  @Endpoint({ summary: 'Read whether work is dispatched', auth: 'owner', scope: 'read', returns: WorkDispatchDto })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<WorkDispatchDto> {
    return this.workDispatch.read(owner, organizationId);
  }

  @Put()
  @Endpoint({
    summary: 'Stop or resume work dispatch',
    description:
      'While work dispatch is stopped, no run request is claimed or started and no schedule fires; schedules, tasks and requests are kept, running work finishes and chats are answered. Idempotent.',
    auth: 'owner',
    scope: 'settings',
    returns: WorkDispatchDto,
    message: 'Work dispatch set',
  })
  set(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() { status }: PutWorkDispatchDto,
  ): Promise<WorkDispatchDto> {
    return this.workDispatch.set(owner, organizationId, status);
  }
}
