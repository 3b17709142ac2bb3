import { Module } from '@nestjs/common';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { PublicationService } from './publication/publication.service.ts';
import { FollowedConnectors } from './sources/followed-connectors.adapter.ts';

@Module({
  imports: [OrganizationsModule, IntegrationsModule],
  providers: [FollowedConnectors, PublicationService],
})
export class InsightsModule {}
