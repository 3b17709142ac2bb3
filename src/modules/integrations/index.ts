/**
 * What an organization is connected to: who may use which tools of which connector. Rows and rules; the network is reached
 * only through its ports. Written with statements; `changes/` is the one way in which a connector is changed.
 */
export type { AuthorizedScopes, CatalogEntry } from './catalog/catalog-entry.ts';
export { IntegrationCatalogService } from './catalog/integration-catalog.service.ts';
export { byRef, ConnectorChangesService } from './changes/connector-changes.service.ts';
export {
  ConnectorNotices,
  type ConnectorTeller,
  type ConnectorTrouble,
  type TroubledConnector,
} from './connector-notices.port.ts';
export { disconnected } from './connecting/credentials.service.ts';
export { ConnectionService } from './connecting/connection.service.ts';
export {
  ConnectorChanged,
  type ConnectorFollower,
  type FollowedConnector,
  REQUIREMENT_CHECK,
  type RequirementCheck,
} from './connector-changed.port.ts';
export {
  type Authorized,
  type AuthorizedCredentials,
  CredentialSource,
  type StoredCredential,
} from './credential-source.port.ts';
export { ConnectorSecretsService } from './credentials/connector-secrets.service.ts';
export { ProviderAskingService, type Question, requireAskable } from './credentials/provider-asking.service.ts';
export { CREDENTIAL_COLUMNS, credentialOf } from './credentials/credential.queries.ts';
export { IntegrationCredential } from './credentials/integration-credential.entity.ts';
export { conflict, IntegrationErrors, IntegrationIssues, NOT_FOUND } from './integration.errors.ts';
export { HealthObservationsService } from './health/health-observations.service.ts';
export { IntegrationGrant } from './grants/integration-grant.entity.ts';
export { IntegrationParams } from './integration.dto.ts';
export { OperatingContextDto, toOperatingContext } from './operating-context.dto.ts';
export { Integration } from './integration.entity.ts';
export {
  ACCESS_MODES,
  type AccessMode,
  generationOf,
  type McpMemory,
  OWNER_MADE_KIND,
  TOOL_ACCESS,
  type ToolAccess,
  type VerifiedResource,
} from './integration.state.ts';
export { IntegrationsModule } from './integrations.module.ts';
export { IntegrationPreferences } from './preferences/integration-preferences.entity.ts';
export {
  type Failure,
  type ExcludedTool,
  type FailureCode,
  type GivenSecret,
  type Inventory,
  type ListedTool,
  type ProviderAccess,
  type ProviderAdapter,
  ProviderAdapters,
  ProviderFailure,
  type ProviderNet,
  type ProviderSecret,
  type ProviderSockets,
  type CallFailure,
  type Report,
  type ReportEntry,
  type ReportItem,
  type ReportPage,
  type ReportRequest,
  type SavedSettings,
  type SentCall,
  type ToolCall,
  type ToolDefinition,
  type ToolOutput,
  type ToolSession,
  type Verified,
  type VerifiedReporting,
} from './provider-adapters.port.ts';
export { failedSighting } from './provider-failures.ts';
export { ConnectorAuthorityService as ConnectorAuthority } from './readiness/connector-authority.service.ts';
export { USE_ISSUES, useWordOf } from './readiness/use-words.ts';
export { ConnectorUse } from './readiness/connector-use.ts';
export {
  type ConnectorRow,
  connectors,
  type ConnectorTool,
  type ConnectorUseRow,
  type UseOptions,
  type Which,
} from './readiness/connectors.queries.ts';
export { effectiveTools, type UseRefusal } from './readiness/readiness.policy.ts';
export { ReadinessService } from './readiness/readiness.service.ts';
export { SelectorsService } from './settings/selectors.service.ts';
export { CONNECTOR_SETTINGS } from './settings/settings.dto.ts';
export { InventoriesService } from './tools/inventories.service.ts';
export { IntegrationInventory } from './tools/integration-inventory.entity.ts';
