/**
 * Guarantees: one typed, validated object, made before anything else starts; invalid variables stop the start with a
 * line for each.
 * Refuses: reading `process.env` anywhere else, known example values as secrets, and code that needs a build, because
 * scripts run this folder unbuilt.
 */
export { Config, type DatabaseConfig, examineSettings, readSettings } from './config.ts';
export { ConfigModule } from './config.module.ts';
export { type Deployment, deploymentFromSettings } from './deployment.ts';
export type { EgressConfig } from './egress.ts';
export type { OidcConfig } from './oidc.ts';
export type { S3Config } from './s3.ts';
export { type SettingName, type Settings, settings } from './settings.ts';
export type { TracingConfig } from './tracing.ts';
export { unknownVariables } from './unknown-variables.ts';
export { VERSION } from './version.ts';
export {
  ApprovedOrigins,
  type CapabilityKey,
  type ClientAuthMethod,
  ConfigError,
  type EncryptionKey,
  hasFile,
  isLoopback,
  type McpOAuth1Client,
  type McpOAuth2Client,
  type Setting,
  type SignatureMethod,
} from './values/index.ts';
