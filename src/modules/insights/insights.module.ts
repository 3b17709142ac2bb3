import { Module } from '@nestjs/common';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';

import { PublicationService } from './publication/publication.service.ts';

@Module({
  imports: [OrganizationsModule, IntegrationsModule],
  providers: [PublicationService],
})
export class InsightsModule {}
