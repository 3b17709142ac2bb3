import { expect, it } from '@jest/globals';
import {
  coversEndpoint,
  issuerMetadataAddresses,
  ownResource,
  resourceMetadataAddresses,
} from './metadata-addresses.ts';

const ORIGIN = 'https://mcp.acme.test';
const WELL_KNOWN = `${ORIGIN}/.well-known/oauth-protected-resource`;

it.each([
  ['/mcp', undefined, [`${WELL_KNOWN}/mcp`, WELL_KNOWN]],
  ['/a/b/?key=secret', undefined, [`${WELL_KNOWN}/a/b`, WELL_KNOWN]],
  ['/', undefined, [WELL_KNOWN]],
  ['/mcp', `${ORIGIN}/meta?x=1`, [`${ORIGIN}/meta?x=1`, `${WELL_KNOWN}/mcp`, WELL_KNOWN]],
  ['/mcp', '/meta', [`${ORIGIN}/meta`, `${WELL_KNOWN}/mcp`, WELL_KNOWN]],
  ['/mcp', `${WELL_KNOWN}/mcp`, [`${WELL_KNOWN}/mcp`, WELL_KNOWN]],
  ['/mcp', 'https://evil.test/meta', [`${WELL_KNOWN}/mcp`, WELL_KNOWN]],
  ['/mcp', 'http://mcp.acme.test/meta', [`${WELL_KNOWN}/mcp`, WELL_KNOWN]],
  ['/mcp', '//evil.test/meta', [`${WELL_KNOWN}/mcp`, WELL_KNOWN]],
  ['/mcp', 'javascript:alert(1)', [`${WELL_KNOWN}/mcp`, WELL_KNOWN]],
  ['/mcp', 'https://[', [`${WELL_KNOWN}/mcp`, WELL_KNOWN]],
] as const)('looks for metadata of the resource at %s, told %s', (path, named, addresses) => {
  expect(resourceMetadataAddresses(new URL(`${ORIGIN}${path}`), named)).toEqual(addresses);
});

it.each([
  [
    'https://as.test/t/a',
    [
      'https://as.test/.well-known/oauth-authorization-server/t/a',
      'https://as.test/.well-known/openid-configuration/t/a',
      'https://as.test/t/a/.well-known/openid-configuration',
    ],
  ],
  [
    'https://as.test/',
    ['https://as.test/.well-known/oauth-authorization-server', 'https://as.test/.well-known/openid-configuration'],
  ],
])('looks for metadata of the issuer %s', (issuer, addresses) => {
  expect(issuerMetadataAddresses(new URL(issuer))).toEqual(addresses);
});

it.each([
  ['/mcp?key=secret', `${ORIGIN}/mcp`],
  ['/mcp/', `${ORIGIN}/mcp/`],
  ['', ORIGIN],
])('calls the resource of %s by its address without query', (path, resource) => {
  expect(ownResource(new URL(`${ORIGIN}${path}`))).toBe(resource);
});

it.each([
  ['/a/mcp', `${ORIGIN}/a/mcp`],
  ['/a/mcp?x=1', `${ORIGIN}/a/mcp/`],
  ['/a/mcp/', `${ORIGIN}/a/mcp`],
  ['/a/mcp', `${ORIGIN}/a`],
  ['/a/mcp', `${ORIGIN}/a/`],
  ['/a/mcp', ORIGIN],
  ['/a/mcp', 'HTTPS://MCP.acme.test:443/'],
])('takes metadata for %s that call themselves %s', (path, resource) => {
  expect(coversEndpoint(resource, new URL(`${ORIGIN}${path}`))).toBe(true);
});

it.each([
  `${ORIGIN}/a/m`,
  `${ORIGIN}/a/mcp/more`,
  `${ORIGIN}/b`,
  `${ORIGIN}/a?`,
  `${ORIGIN}/a#`,
  'http://mcp.acme.test/a/mcp',
  'https://acme.test/',
  'https://mcp.acme.test:8443/a/mcp',
  'https://mcp.acme.test@evil.test/a/mcp',
  'https://user@mcp.acme.test/a/mcp',
  'mcp.acme.test',
  '',
])('does not take metadata that call themselves %s', (resource) => {
  expect(coversEndpoint(resource, new URL(`${ORIGIN}/a/mcp`))).toBe(false);
});
