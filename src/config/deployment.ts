import { type CapabilityKey, ConfigError, type EncryptionKey } from './values/index.ts';
import type { Settings } from './settings.ts';

/** Where data and first credentials come from: the environment, or the embedded server's folder. */
export interface Deployment {
  readonly url: string;
  readonly ownerBootstrapToken: string;
  readonly agentServiceTokens: readonly string[];
  readonly capabilityKeys: readonly CapabilityKey[];
  readonly encryptionKeys: readonly EncryptionKey[];
}

/** The deployment that the environment describes, or undefined when it leaves that to the embedded default. */
export function deploymentFromSettings(given: Settings): Deployment | undefined {
  if (given.DATABASE_URL === undefined) return undefined;
  return {
    url: given.DATABASE_URL,
    ownerBootstrapToken: given.OWNER_BOOTSTRAP_TOKEN!,
    agentServiceTokens: given.AGENT_SERVICE_TOKENS!,
    capabilityKeys: given.CAPABILITY_KEYS!,
    encryptionKeys: given.ENCRYPTION_KEYS!,
  };
}

/** What the settings lack of a deployment. */
export function deploymentFaults(given: Settings): ConfigError[] {
  if (given.DATABASE_URL === undefined)
    return (['DATABASE_DIRECT_URL', 'DATABASE_DISPATCH_URL'] as const)
      .filter((name) => given[name] !== undefined)
      .map((name) => new ConfigError(name, 'needs DATABASE_URL; set it too'));
  // Credentials are required here: replicas that each made their own would refuse each other's tokens, and could not read each other's secrets.
  return (['OWNER_BOOTSTRAP_TOKEN', 'AGENT_SERVICE_TOKENS', 'CAPABILITY_KEYS', 'ENCRYPTION_KEYS'] as const)
    .filter((name) => given[name] === undefined)
    .map((name) => new ConfigError(name, 'is required when DATABASE_URL is set'));
}

/** A token that would let every runtime act as the deployment's administrator. */
export function tokenFaults({ OWNER_BOOTSTRAP_TOKEN: owner, AGENT_SERVICE_TOKENS: runtimes }: Settings): ConfigError[] {
  if (owner === undefined || !runtimes?.includes(owner)) return [];
  return [new ConfigError('OWNER_BOOTSTRAP_TOKEN', 'is one of AGENT_SERVICE_TOKENS too; make one of its own')];
}
