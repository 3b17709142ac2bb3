import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { TemplateCatalogDto } from '../catalog.dto.ts';
import { CatalogErrors } from './catalog.errors.ts';
import { CatalogsService } from './catalogs.service.ts';

@ApiTags('agent-profiles')
@Controller('agent-profile-templates')
export class AgentProfileTemplatesController {
  constructor(private readonly catalogs: CatalogsService) {}

  @Get()
  @Endpoint({
    summary: 'Read the template catalog',
    description: 'The current revision: the templates that new profiles are made from. Revisions are immutable.',
    auth: 'owner',
    scope: 'read',
    returns: TemplateCatalogDto,
    errors: [CatalogErrors.unpublished],
  })
  read(@Owner() owner: OwnerPrincipal): Promise<TemplateCatalogDto> {
    return this.catalogs.readCurrent(owner);
  }
}
