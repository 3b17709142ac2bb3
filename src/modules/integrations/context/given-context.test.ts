import { expect, it } from '@jest/globals';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { StandingConnector } from '../readiness/readiness.service.ts';
import { contextOf } from './given-context.ts';

const HOST = { entry: { connectionType: 'code_host' } } as unknown as StandingConnector;

function resource(url: string, name = 'acme/shop') {
  return { kind: 'repository' as const, externalId: '1', name, url, defaultBranch: 'main', departments: [] };
}

it('keeps repositories of the code host whose address is theirs', () => {
  const given = { resources: [resource('https://github.com/acme/shop')] };
  expect(contextOf(given, null, HOST).resources).toEqual(given.resources);
});

it.each([
  resource('https://github.com/acme/other'),
  resource('http://github.com/acme/shop'),
  resource('https://user@github.com/acme/shop'),
  resource('https://github.com/acme/shop?token=1'),
  resource('https://github.com/acme/shop', 'shop'),
  resource('https://github.com/acme/../shop', 'acme/../shop'),
])('refuses one whose address is another: %j', (foreign) => {
  expect.assertions(1);
  try {
    contextOf({ resources: [foreign] }, null, HOST);
  } catch (error) {
    expect((error as ApiError).issues).toMatchObject([{ path: 'context.resources.0.url', code: 'foreign_resource' }]);
  }
});
