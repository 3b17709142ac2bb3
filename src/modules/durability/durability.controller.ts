import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { DurabilityListQuery, DurabilityParams, DurabilityRowDto } from './durability.dto.ts';
import { DurabilityErrors } from './durability.errors.ts';
import { DurabilityService } from './durability.service.ts';

@ApiTags('durability')
@Controller('organizations/:organizationId/durability')
export class DurabilityController {
  constructor(private readonly rows: DurabilityService) {}

  @Get()
  @Endpoint({
    summary: 'List the durability rows',
    description:
      'What executions keep for the time after a crash, ordered by namespace and key. Expired rows are gone.',
    auth: 'owner',
    scope: 'read',
    returns: DurabilityRowDto,
    list: true,
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: DurabilityListQuery,
  ): Promise<Page<DurabilityRowDto>> {
    return this.rows.list(owner, organizationId, query);
  }

  @Get(':namespace/:key')
  @Endpoint({
    summary: 'Read a durability row',
    auth: 'owner',
    scope: 'read',
    returns: DurabilityRowDto,
    errors: [DurabilityErrors.notFound],
  })
  read(@Owner() owner: OwnerPrincipal, @Param() params: DurabilityParams): Promise<DurabilityRowDto> {
    return this.rows.read(owner, params);
  }
}
