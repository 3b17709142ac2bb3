import { expect, it } from '@jest/globals';
import { bearerChallenge } from './bearer-challenge.ts';

const NOTHING = { resourceMetadata: undefined, scope: undefined, error: undefined };

it.each([
  ['Bearer', NOTHING],
  ['bearer realm="a, b=\\"c\\"", scope="read write"', { ...NOTHING, scope: 'read write' }],
  [
    'Basic realm="x", Bearer error=invalid_token,resource_metadata="https://mcp.acme.test/.well-known/oauth-protected-resource"',
    {
      ...NOTHING,
      error: 'invalid_token',
      resourceMetadata: 'https://mcp.acme.test/.well-known/oauth-protected-resource',
    },
  ],
  ['DPoP algs="ES256", Bearer scope = "a" , scope="b"', { ...NOTHING, scope: 'a' }],
  ['Bearer scope="a", Basic realm="scope"', { ...NOTHING, scope: 'a' }],
  ['Bearer scope="unfinished', NOTHING],
] as const)('reads %s', (header, expected) => {
  expect(bearerChallenge(header)).toEqual(expected);
});

it.each([null, '', 'Basic realm="Bearer scope=a"', '="Bearer"', `Bearer ${'x'.repeat(16_384)}`])(
  'finds no challenge in %s',
  (header) => {
    expect(bearerChallenge(header)).toBeUndefined();
  },
);

it('takes no longer for a header made to burn time', () => {
  const began = performance.now();
  bearerChallenge('Bearer a="\\'.repeat(1_600));
  bearerChallenge('a '.repeat(8_000));
  expect(performance.now() - began).toBeLessThan(500);
});
