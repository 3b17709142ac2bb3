import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/index.ts';
import { AgentProfileProvisioning } from './agent-profile-provisioning.ts';
import { AgentProfileTemplatesController } from './agent-profile-templates.controller.ts';
import { AgentProfilesController } from './agent-profiles.controller.ts';
import { AgentProfilesService } from './agent-profiles.service.ts';
import { CatalogPublication } from './catalog-publication.ts';
import { CatalogsService } from './catalogs.service.ts';
import { ProfileRemoved } from './profile-removed.ts';

@Module({
  imports: [OrganizationsModule],
  controllers: [AgentProfileTemplatesController, AgentProfilesController],
  providers: [AgentProfilesService, AgentProfileProvisioning, CatalogsService, CatalogPublication, ProfileRemoved],
  exports: [AgentProfileProvisioning, ProfileRemoved],
})
export class AgentProfilesModule {}
