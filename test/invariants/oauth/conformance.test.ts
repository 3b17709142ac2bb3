import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Config } from '../../../src/config/index.ts';
import { RedirectsService } from '../../../src/modules/oauth/redirects.service.ts';
import { BASE } from '../../support/factories/integrations/authorized-connectors.ts';
import { LOCAL_TRIAL } from '../../support/peers/receiver.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** All scenarios of the core; a plain run takes some, because each takes seconds. */
const ALL = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
  '2025-03-26-oauth-metadata-backcompat',
  '2025-03-26-oauth-endpoint-fallback',
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
];
const SOME = ['metadata-var3', 'pre-registration', 'iss-unexpected'];

/** Those that do not pass, each with its reason. */
const REASONS: Readonly<Record<string, string>> = {
  'scope-step-up': 'only a call asks for more scopes, and owners call no tools: the next start asks for them',
  '2025-03-26-oauth-endpoint-fallback': 'endpoints that no metadata name are not guessed',
};

const { app, owner, organization } = useOrganization({
  env: { ...LOCAL_TRIAL, EGRESS_LOCAL_PEERS: 'http://localhost:1', PUBLIC_BASE_URL: BASE },
});
/** The client that a scenario has registered for the deployment before. */
let known: { readonly clientId: string; readonly clientSecret: string } | undefined;
const control = createServer((request, response) => void learn(request).finally(() => response.end()));

async function learn(request: IncomingMessage): Promise<void> {
  const context = JSON.parse((await text(request)) || '{}') as { client_id?: string; client_secret?: string };
  const { client_id: clientId, client_secret: clientSecret } = context;
  known = clientId === undefined ? undefined : { clientId, clientSecret: clientSecret! };
}

beforeAll(async () => {
  await app.app.listen(0, '127.0.0.1');
  control.listen(0, '127.0.0.1');
  await once(control, 'listening');
  // Servers of the suite listen where nobody knows before.
  const { egress, integrations } = app.app.get(Config);
  const isLocal = (address: string) => /^http:\/\/(localhost|127\.0\.0\.1)(:|\/|$)/.test(address);
  Object.assign(egress.localPeers, { includes: isLocal });
  Object.assign(integrations.approvedOrigins, { has: isLocal });
  // The suite knows one address of a client metadata document.
  Object.defineProperty(app.app.get(RedirectsService), 'clientDocument', {
    get: () => 'https://conformance-test.local/client-metadata.json',
  });
  const client = () => known && { kind: 'oauth2', ...known, authMethod: 'client_secret_basic' };
  Object.assign(integrations.oauth2Clients, { find: client, map: () => [] });
});
afterAll(() => void control.close());

async function run(scenario: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const service = (app.app.getHttpServer() as { address(): AddressInfo }).address();
  const child = spawn(
    process.execPath,
    [
      'node_modules/@modelcontextprotocol/conformance/dist/index.js',
      'client',
      '--command',
      `${process.execPath} test/support/processes/conformance-client.mjs`,
      '--scenario',
      `auth/${scenario}`,
      '--verbose',
    ],
    {
      env: {
        PATH: process.env.PATH,
        SERVICE: `http://127.0.0.1:${service.port}`,
        OWNER: owner.token,
        ORGANIZATION: organization.id,
        CONTROL: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
      },
    },
  );
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, output: output + errors };
}

describe('the conformance suite of MCP, authorization of clients', () => {
  const scenarios = process.env.OAUTH_CONFORMANCE === 'all' ? ALL : (process.env.OAUTH_CONFORMANCE?.split(',') ?? SOME);

  it.each(scenarios)(
    '%s',
    async (scenario) => {
      const { code, output } = await run(scenario);
      const isPassed = code === 0;
      const isExpected = REASONS[scenario] === undefined;
      expect({ isPassed, output: isPassed === isExpected ? '' : output }).toEqual({ isPassed: isExpected, output: '' });
    },
    60_000,
  );
});
