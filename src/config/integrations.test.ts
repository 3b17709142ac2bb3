import { expect, it } from '@jest/globals';
import { COMPLETE, configOf, expectRefusal, trialConfigOf, without } from '../../test/support/configurations.ts';
import { fileWith } from '../../test/support/folders.ts';
import { ApprovedOrigins, readSettings } from './index.ts';

const ISSUER = 'https://login.acme.test';
const ONE = {
  kind: 'oauth1',
  origin: 'https://mcp.acme.test',
  requestTokenUrl: 'https://acme.test/request',
  authorizationUrl: 'https://acme.test/authorize',
  accessTokenUrl: 'https://acme.test/access',
  consumerKey: 'key',
  consumerSecret: 'CANARY-consumer',
};

function clients(...each: unknown[]): string {
  return JSON.stringify(each);
}

it.each([
  ['INTEGRATION_APPROVED_ORIGINS', 'https://mcp.acme.test/'],
  ['INTEGRATION_APPROVED_ORIGINS', 'https://mcp.acme.test/path'],
  ['INTEGRATION_APPROVED_ORIGINS', 'https://*.test'],
  ['INTEGRATION_APPROVED_ORIGINS', 'https://*'],
  ['INTEGRATION_APPROVED_ORIGINS', 'https://*.*.acme.test'],
  ['INTEGRATION_APPROVED_ORIGINS', 'https://*.10.0.0.1'],
  ['INTEGRATION_APPROVED_ORIGINS', 'https://mcp.*.test'],
  ['INTEGRATION_APPROVED_ORIGINS', 'http://*.acme.test'],
  ['INTEGRATION_APPROVED_ORIGINS', 'http://mcp.acme.test'],
  ['INTEGRATION_APPROVED_ORIGINS', 'mcp.acme.test'],
  ['KEY_VALUE_HOSTS', 'upstash.io'],
  ['KEY_VALUE_HOSTS', '.io'],
  ['KEY_VALUE_HOSTS', '.*.upstash.io'],
  ['KEY_VALUE_HOSTS', '.upstash.io,'],
  ['KEY_VALUE_HOSTS', '.10.0.0.1'],
  ['MCP_OAUTH_CLIENTS', 'acme'],
  ['MCP_OAUTH_CLIENTS', '{}'],
  ['MCP_OAUTH_CLIENTS', '[1]'],
  ['MCP_OAUTH_CLIENTS', clients({ issuer: ISSUER })],
  ['MCP_OAUTH_CLIENTS', clients({ issuer: 'acme', clientId: 'a' })],
  ['MCP_OAUTH_CLIENTS', clients({ issuer: 'http://login.acme.test', clientId: 'a' })],
  ['MCP_OAUTH_CLIENTS', clients({ issuer: ISSUER, clientId: 'a', authMethod: 'client_secret_basic' })],
  ['MCP_OAUTH_CLIENTS', clients({ issuer: ISSUER, clientId: 'a', clientSecret: 'b', authMethod: 'none' })],
  ['MCP_OAUTH_CLIENTS', clients({ issuer: ISSUER, clientId: 'a', secret: 'b' })],
  ['MCP_OAUTH_CLIENTS', clients({ issuer: ISSUER, clientId: 'a' }, { issuer: ISSUER, clientId: 'b' })],
  ['MCP_OAUTH_CLIENTS', clients({ ...ONE, origin: 'https://mcp.acme.test/mcp' })],
  ['MCP_OAUTH_CLIENTS', clients({ ...ONE, signatureMethod: 'PLAINTEXT' })],
  ['MCP_OAUTH_REGISTRATION', 'maybe'],
  ['DOCUMENT_DB_HOSTS', 'mongodb.net'],
  ['CODE_HOST_APP_KEY', 'acme'],
  ['OAUTH_RETURN_URL', 'http://app.acme.test/connected'],
  ['OAUTH_RETURN_URL', 'https://app.acme.test/#connected'],
  ['OAUTH_RETURN_URL', 'https://user:password@app.acme.test/'],
])('refuses %s=%s in one line that names it', expectRefusal);

it('knows approved origins, exact ones and hosts below a domain', () => {
  const approved = new ApprovedOrigins(['https://mcp.acme.test', 'https://*.tools.test', 'https://*.ported.test:8443']);
  for (const address of ['https://mcp.acme.test/a?b', 'https://MCP.acme.test:443/', 'https://a.b.tools.test/'])
    expect(approved.has(address)).toBe(true);
  expect(approved.has('https://a.ported.test:8443/mcp')).toBe(true);
  for (const address of [
    'https://mcp.acme.test:8443/',
    'http://mcp.acme.test/',
    'https://acme.test/',
    'https://tools.test/',
    'https://eviltools.test/',
    'https://a.tools.test.evil.test/',
    'https://a.tools.test:8443/',
    'https://a.ported.test/',
    'https://a.tools.test@evil.test/',
    'javascript:alert(1)',
    'nonsense',
  ])
    expect(approved.has(address)).toBe(false);
});

it('takes clients of both kinds, with their defaults, and never shows a secret', () => {
  const two = { issuer: `${ISSUER}/`, clientId: 'runner', clientSecret: 'CANARY-client' };
  const { integrations } = configOf({ ...COMPLETE, MCP_OAUTH_CLIENTS: clients(two, ONE) });
  expect(integrations.oauth2Clients).toEqual([{ kind: 'oauth2', ...two, authMethod: 'client_secret_basic' }]);
  expect(integrations.oauth1Clients).toEqual([{ ...ONE, signatureMethod: 'HMAC-SHA1' }]);
  const broken = clients({ ...two, authMethod: 'private_key_jwt' });
  expect(() => readSettings({ MCP_OAUTH_CLIENTS: broken })).toThrow(without('CANARY'));
  expect(() => readSettings({ MCP_OAUTH_CLIENTS: broken })).toThrow(
    /^MCP_OAUTH_CLIENTS: has a client 0 whose "authMethod" must be one of/,
  );
});

it('wants both halves of the client of the workspace', () => {
  const env = { WORKSPACE_OAUTH_CLIENT_ID: 'runner.apps', WORKSPACE_OAUTH_CLIENT_SECRET: 'CANARY-workspace' };
  expect(configOf({ ...COMPLETE, ...env }).integrations.workspaceClient).toEqual({
    clientId: 'runner.apps',
    clientSecret: 'CANARY-workspace',
  });
  expect(() => readSettings({ WORKSPACE_OAUTH_CLIENT_ID: 'runner.apps' })).toThrow(
    /^WORKSPACE_OAUTH_CLIENT_SECRET: is required/,
  );
  expect(() => readSettings({ WORKSPACE_OAUTH_CLIENT_SECRET: 'CANARY-workspace' })).toThrow(
    /^WORKSPACE_OAUTH_CLIENT_ID: is required/,
  );
});

it('lets one of the local peers play the code host, and nobody else', () => {
  const origin = 'http://localhost:8002';
  expect(trialConfigOf({ EGRESS_LOCAL_PEERS: origin, CODE_HOST_LOCAL_ORIGIN: origin }).integrations).toMatchObject({
    codeHostLocalOrigin: origin,
  });
  for (const other of [`${origin}/`, 'https://git.acme.test'])
    expect(() => readSettings({ EGRESS_LOCAL_PEERS: origin, CODE_HOST_LOCAL_ORIGIN: other })).toThrow(
      /^CODE_HOST_LOCAL_ORIGIN: is none of EGRESS_LOCAL_PEERS/,
    );
});

it('reads what is no secret from a file too, and lets a trial reach its local peers in the clear', () => {
  const file = fileWith('http://127.0.0.1:8001, https://mcp.acme.test\n');
  const env = { INTEGRATION_APPROVED_ORIGINS_FILE: file, EGRESS_LOCAL_PEERS: 'http://127.0.0.1:8001' };
  const { approvedOrigins } = trialConfigOf(env).integrations;
  expect(approvedOrigins.has('http://127.0.0.1:8001/mcp')).toBe(true);
  expect(approvedOrigins.has('https://mcp.acme.test/mcp')).toBe(true);
});
