import { describe, expect, it } from '@jest/globals';
import { permittedName, repositoryName } from './repository-name.ts';

describe('the names in a path', () => {
  it.each([
    ['acme', 'shop', 'shop'],
    ['acme', 'shop.git', 'shop'],
    ['a-1', '.github', '.github'],
    ['acme', 'a.b_c-d', 'a.b_c-d'],
  ])('%s/%s are those of a repository', (owner, given, repository) =>
    expect(repositoryName(owner, given)).toEqual({ owner, repository }),
  );

  it.each([
    ['-acme', 'shop'],
    ['a'.repeat(40), 'shop'],
    ['', 'shop'],
    ['..', 'shop'],
    ['acme', ''],
    ['acme', '.'],
    ['acme', '..'],
    ['acme', '..git'],
    ['acme', 'shop.'],
    ['acme', 'shop.git.git'],
    ['acme', '.git'],
    ['acme', 'a/b'],
    ['acme', 'a%2fb'],
    ['acme', 'a'.repeat(101)],
  ])('%j/%j are none', (owner, given) => expect(() => repositoryName(owner, given)).toThrow());
});

it('is compared without case, and spelled as its connector does', () => {
  const name = { owner: 'Acme', repository: 'Shop' };
  expect([
    permittedName(name, ['a/b', 'acme/shop']),
    permittedName(name, ['acme/shop2']),
    permittedName(name, []),
    permittedName(name, undefined),
  ]).toEqual([{ owner: 'acme', repository: 'shop' }, undefined, undefined, name]);
});
