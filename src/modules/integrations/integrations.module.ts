import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { IntegrationCatalogJobs } from './catalog/integration-catalog.jobs.ts';
import { IntegrationCatalogService } from './catalog/integration-catalog.service.ts';
import { ConnectorChangesService } from './changes/connector-changes.service.ts';
import { ConnectorChanged } from './connector-changed.port.ts';
import { CredentialSource } from './credential-source.port.ts';
import { ProviderAdapters } from './provider-adapters.port.ts';
import { ConnectorAuthority } from './readiness/connector-authority.service.ts';
import { ReadinessService } from './readiness/readiness.service.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule],
  providers: [
    ProviderAdapters,
    CredentialSource,
    ConnectorChanged,
    ReadinessService,
    ConnectorAuthority,
    ConnectorChangesService,
    IntegrationCatalogService,
    IntegrationCatalogJobs,
  ],
  exports: [ProviderAdapters, CredentialSource, ConnectorChanged, ConnectorAuthority, IntegrationCatalogService],
})
export class IntegrationsModule {}
