import { expect } from '@jest/globals';
import { Config, deploymentFromSettings, readSettings } from '../../src/config/index.ts';

type Env = Readonly<Record<string, string>>;

export const DATABASE = 'postgresql://user:password@db.internal:5432/business_runner';
export const TOKEN = 'kQ3vT8nB5xW2mZ7pL4hJ6yR1cF9dS0gU';
export const SERVICE_TOKEN = 'dM9wX4rC7bH2yN6tK1sP5zQ8vJ3gF0lA';
export const SEED = 'nT4vK9sQ2wR7yB1mX6cZ8dF3gH5jL0pA-uI_oEaSdWk';
/** The least that a deployment says. */
export const COMPLETE = {
  DATABASE_URL: DATABASE,
  OWNER_BOOTSTRAP_TOKEN: TOKEN,
  AGENT_SERVICE_TOKENS: SERVICE_TOKEN,
  CAPABILITY_KEYS: `k1:${SEED}`,
  ENCRYPTION_KEYS: `e1:${SEED}`,
};

/** Of a deployment. */
export function configOf(env: Env): Config {
  const settings = readSettings(env);
  return new Config(settings, deploymentFromSettings(settings)!);
}

/** Of a trial, whose database is the embedded one. */
export function trialConfigOf(env: Env): Config {
  const credentials = { ownerBootstrapToken: TOKEN, agentServiceTokens: [SERVICE_TOKEN] };
  return new Config(readSettings(env), { url: DATABASE, ...credentials, capabilityKeys: [], encryptionKeys: [] });
}

export function expectRefusal(name: string, value: string): void {
  let message = '';
  try {
    readSettings({ [name]: value });
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(new RegExp(`^${name}: .+$`));
  expect(message).not.toContain('\n');
}

/** An error whose message does not contain a text; `toThrow` gives a matcher the error itself. */
export function without(text: string): unknown {
  return expect.objectContaining({ message: expect.not.stringContaining(text) });
}
