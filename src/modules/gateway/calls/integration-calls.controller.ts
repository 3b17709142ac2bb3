import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { NOT_FOUND } from '../../integrations/index.ts';
import { CallLogService } from './call-log.service.ts';
import { IntegrationCallDto, IntegrationCallListQuery, IntegrationCallsParams } from './integration-call.dto.ts';

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef/calls')
export class IntegrationCallsController {
  constructor(private readonly calls: CallLogService) {}

  @Get()
  @Endpoint({
    summary: 'List the calls through an integration',
    description:
      'Each call of a tool by a run, a chat turn or an approved action, those that were refused too, newest first: which tool, by whom, how it ended and how long it took. Contents are not kept, only their digests and sizes. Entries stay for `LOG_RETENTION_MONTHS`.',
    auth: 'owner',
    scope: 'read',
    returns: IntegrationCallDto,
    list: true,
    errors: [NOT_FOUND],
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationCallsParams,
    @Query() query: IntegrationCallListQuery,
  ): Promise<Page<IntegrationCallDto>> {
    return this.calls.list(owner, organizationId, integrationRef, query);
  }
}
