import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { IntegrationCatalogJobs } from './catalog/integration-catalog.jobs.ts';
import { IntegrationCatalogService } from './catalog/integration-catalog.service.ts';
import { ConnectorChangesService } from './changes/connector-changes.service.ts';
import { ConnectionService } from './connecting/connection.service.ts';
import { ConnectorChanged } from './connector-changed.port.ts';
import { CredentialSource } from './credential-source.port.ts';
import { ConnectorSecretsService } from './credentials/connector-secrets.service.ts';
import { ProviderAskingService } from './credentials/provider-asking.service.ts';
import { ProviderAdapters } from './provider-adapters.port.ts';
import { ProviderNetsService } from './provider-nets.service.ts';
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
    ProviderNetsService,
    ConnectorSecretsService,
    ProviderAskingService,
    ConnectionService,
  ],
  exports: [
    ProviderAdapters,
    CredentialSource,
    ConnectorChanged,
    ConnectorAuthority,
    IntegrationCatalogService,
    ProviderNetsService,
    ConnectorSecretsService,
    ConnectionService,
  ],
})
export class IntegrationsModule {}
