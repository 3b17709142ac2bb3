import { expect, it } from '@jest/globals';
import { unknownVariables } from './unknown-variables.ts';

const problemOf = (name: string) => unknownVariables({ [name]: '1' })[0]?.problem;

it.each([
  ['RUN_LEASE_SECOND', 'RUN_LEASE_SECONDS'],
  ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
  ['TRUST_PROXIE', 'TRUST_PROXY'],
  ['OWNER_BOOTSTRAP_TOKENFILE', 'OWNER_BOOTSTRAP_TOKEN_FILE'],
])('%s: asks whether %s was meant', (name, meant) => {
  expect(problemOf(name)).toBe(`is not a variable of the service; did you mean ${meant}?`);
});

it('names what begins as ours do', () => {
  expect(problemOf('RUN_FOREVER')).toBe('is not a variable of the service; see docs/configuration.md');
});

it.each([
  'PORT',
  'DATABASE_URL',
  'DATABASE_URL_FILE',
  'HOSTS',
  'PATH',
  'HOSTNAME',
  'LOGNAME',
  'NODE_OPTIONS',
  'PGPORT',
])('is silent about %s', (name) => {
  expect(problemOf(name)).toBeUndefined();
});

it('is silent about what is empty', () => {
  expect(unknownVariables({ RUN_LEASE_SECOND: ' ' })).toEqual([]);
});
