import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { IntegrationCatalogJobs } from './catalog/integration-catalog.jobs.ts';
import { IntegrationCatalogService } from './catalog/integration-catalog.service.ts';
import { ChangedConstraints } from './changes/changed-constraints.adapter.ts';
import { ConnectorChangesService } from './changes/connector-changes.service.ts';
import { ConnectionService } from './connecting/connection.service.ts';
import { CredentialsService } from './connecting/credentials.service.ts';
import { IntegrationCredentialsController } from './connecting/integration-credentials.controller.ts';
import { ConnectorChanged } from './connector-changed.port.ts';
import { ConnectorNotices } from './connector-notices.port.ts';
import { ContextService } from './context/context.service.ts';
import { CredentialSource } from './credential-source.port.ts';
import { ConnectorSecretsService } from './credentials/connector-secrets.service.ts';
import { ProviderAskingService } from './credentials/provider-asking.service.ts';
import { GrantsService } from './grants/grants.service.ts';
import { RemovedProfiles } from './grants/removed-profiles.adapter.ts';
import { IntegrationsAgentController } from './integrations.agent.controller.ts';
import { IntegrationsController } from './integrations.controller.ts';
import { IntegrationsRuntimeController } from './integrations.runtime.controller.ts';
import { PreferencesService } from './preferences/preferences.service.ts';
import { CheckService } from './health/check.service.ts';
import { HealthObservationsService } from './health/health-observations.service.ts';
import { IntegrationChecksController } from './health/integration-checks.controller.ts';
import { ProviderAdapters } from './provider-adapters.port.ts';
import { ProviderNetsService } from './provider-nets.service.ts';
import { ConnectorAuthorityService } from './readiness/connector-authority.service.ts';
import { ReadinessService } from './readiness/readiness.service.ts';
import { ConnectorEditsService } from './registry/connector-edits.service.ts';
import { ConnectorReadingService } from './registry/connector-reading.service.ts';
import { OwnConnectorsService } from './registry/own-connectors.service.ts';
import { ResolveService } from './runtime/resolve.service.ts';
import { RuntimeReadingService } from './runtime/runtime-reading.service.ts';
import { IntegrationSettingsController } from './settings/integration-settings.controller.ts';
import { ReportingCredentialsService } from './settings/reporting-credentials.service.ts';
import { SelectorsService } from './settings/selectors.service.ts';
import { SettingsService } from './settings/settings.service.ts';
import { IntegrationToolsController } from './tools/integration-tools.controller.ts';
import { InventoriesService } from './tools/inventories.service.ts';
import { InventoryJobs } from './tools/inventory.jobs.ts';
import { ToolsService } from './tools/tools.service.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule],
  controllers: [
    IntegrationsController,
    IntegrationCredentialsController,
    IntegrationToolsController,
    IntegrationChecksController,
    IntegrationSettingsController,
    IntegrationsAgentController,
    IntegrationsRuntimeController,
  ],
  providers: [
    ProviderAdapters,
    CredentialSource,
    ConnectorChanged,
    ConnectorNotices,
    ReadinessService,
    ConnectorAuthorityService,
    ConnectorChangesService,
    ChangedConstraints,
    IntegrationCatalogService,
    IntegrationCatalogJobs,
    PreferencesService,
    GrantsService,
    RemovedProfiles,
    ConnectorReadingService,
    OwnConnectorsService,
    ConnectorEditsService,
    ContextService,
    RuntimeReadingService,
    ResolveService,
    ProviderNetsService,
    ConnectorSecretsService,
    ProviderAskingService,
    ConnectionService,
    CredentialsService,
    HealthObservationsService,
    CheckService,
    InventoriesService,
    ToolsService,
    InventoryJobs,
    SettingsService,
    SelectorsService,
    ReportingCredentialsService,
  ],
  exports: [
    ProviderAdapters,
    CredentialSource,
    ConnectorChanged,
    ConnectorNotices,
    ConnectorAuthorityService,
    IntegrationCatalogService,
    ReadinessService,
    ConnectorChangesService,
    ProviderNetsService,
    ConnectorSecretsService,
    ProviderAskingService,
    ConnectionService,
    InventoriesService,
    HealthObservationsService,
    SelectorsService,
  ],
})
export class IntegrationsModule {}
