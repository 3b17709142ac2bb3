import { describe, expect, it } from '@jest/globals';
import { requestIdOf } from './request-id.ts';

const UUID = /^[0-9a-f-]{36}$/;

describe('requestIdOf', () => {
  it.each(['a', 'req-1.A_b', 'x'.repeat(128)])('takes a sane id: %s', (id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toBe(id);
  });

  it.each([undefined, '', 'a b', 'a, b', 'é', 'a\nb', 'x'.repeat(129)])('makes one instead of %j', (id) => {
    expect(requestIdOf({ headers: { 'x-request-id': id } })).toMatch(UUID);
  });
});
