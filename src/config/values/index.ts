/**
 * Guarantees: one variable is read and judged by itself; a refusal names it, and never a secret.
 * Refuses: what variables mean to each other, which the folder around it knows.
 */
export { ApprovedOrigins, approvedOrigins, hostSuffixes } from './approved-origins.ts';
export { type CapabilityKey, capabilityKeys } from './capability-keys.ts';
export { type EncryptionKey, encryptionKeys } from './encryption-keys.ts';
export { isLoopback } from './loopback.ts';
export {
  type ClientAuthMethod,
  type McpClient,
  mcpClients,
  type McpOAuth1Client,
  type McpOAuth2Client,
  type SignatureMethod,
} from './mcp-clients.ts';
export {
  accessKey,
  audiences,
  bucketName,
  collectorUrl,
  forwardProxy,
  headerList,
  httpUrl,
  integer,
  issuerUrl,
  keyPrefix,
  onOff,
  oneOf,
  origins,
  postgresUrl,
  proxies,
  ratio,
  regionName,
  returnAddress,
  secret,
  secrets,
} from './parsers.ts';
export { rsaPrivateKey } from './private-key.ts';
export { ConfigError, hasFile, readSetting, type Setting } from './setting.ts';
