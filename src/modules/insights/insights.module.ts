import { Module } from '@nestjs/common';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';

@Module({
  imports: [OrganizationsModule, IntegrationsModule],
})
export class InsightsModule {}
