import { expect, it } from '@jest/globals';
import { askedScopes, scopesIn } from './scopes.ts';

const SILENT = { challenged: undefined, ofResource: undefined, ofIssuer: undefined, needed: [] };

it('asks for what the challenge says, else for what the resource lists, else for nothing', () => {
  expect(askedScopes(SILENT)).toEqual([]);
  expect(askedScopes({ ...SILENT, ofResource: ['read', 'write'] })).toEqual(['read', 'write']);
  expect(askedScopes({ ...SILENT, challenged: 'read read', ofResource: ['read', 'write'] })).toEqual(['read']);
  expect(askedScopes({ ...SILENT, challenged: '', ofResource: ['read'] })).toEqual([]);
});

it('adds what calls were refused for and what is granted', () => {
  expect(askedScopes({ ...SILENT, challenged: 'read', needed: ['files', 'read'] })).toEqual(['read', 'files']);
});

it('asks for offline access where the issuer lists it, and nowhere else', () => {
  expect(askedScopes({ ...SILENT, challenged: 'read', ofIssuer: ['offline_access'] })).toEqual([
    'offline_access',
    'read',
  ]);
  expect(askedScopes({ ...SILENT, challenged: 'read offline_access', ofIssuer: ['read'] })).toEqual(['read']);
});

it('leaves out what is no scope, and asks for fifty at most', () => {
  expect(scopesIn('a  b\n "c" d\\ é')).toEqual(['a']);
  const many = Array.from({ length: 80 }, (_, index) => `s${index}`);
  expect(askedScopes({ ...SILENT, ofResource: many, ofIssuer: ['offline_access'] })).toHaveLength(50);
});
