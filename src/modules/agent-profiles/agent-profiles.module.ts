import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/index.ts';
import { AgentProfileProvisioningService } from './agent-profile-provisioning.service.ts';
import { AgentProfileTemplatesController } from './catalogs/agent-profile-templates.controller.ts';
import { AgentProfilesController } from './agent-profiles.controller.ts';
import { AgentProfilesService } from './agent-profiles.service.ts';
import { CatalogPublicationService } from './catalogs/catalog-publication.service.ts';
import { CatalogsService } from './catalogs/catalogs.service.ts';
import { ClaimFiltersService } from './claim-filters.service.ts';
import { DepartmentProfiles } from './department-profiles.adapter.ts';
import { ProfileRemoved } from './profile-removed.port.ts';

@Module({
  imports: [OrganizationsModule],
  controllers: [AgentProfileTemplatesController, AgentProfilesController],
  providers: [
    AgentProfilesService,
    AgentProfileProvisioningService,
    CatalogsService,
    CatalogPublicationService,
    ClaimFiltersService,
    ProfileRemoved,
    DepartmentProfiles,
  ],
  exports: [AgentProfileProvisioningService, ClaimFiltersService, ProfileRemoved],
})
export class AgentProfilesModule {}
