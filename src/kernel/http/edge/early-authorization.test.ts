import { describe, expect, it } from '@jest/globals';
import { isBearer, unauthorized } from './early-authorization.ts';

describe('isBearer', () => {
  it.each(['Bearer a', 'bearer brt_a-b.c~d+e/f==', `Bearer ${'a'.repeat(4096)}`])('takes %.40s', (header) => {
    expect(isBearer(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer  a',
    'Bearer =',
    'Bearer a=b',
    'Bearer é',
    'Basic YTpi',
    'xBearer a',
    `Bearer ${'a'.repeat(4097)}`,
  ])('refuses %.40s', (header) => {
    expect(isBearer(header)).toBe(false);
  });
});

describe('unauthorized', () => {
  it('answers with the code of the last scheme', () => {
    expect(unauthorized('owner').row.code).toBe('owner_unauthorized');
    expect(unauthorized('service').row.code).toBe('agent_unauthorized');
    expect(unauthorized(['service', 'owner']).row.code).toBe('owner_unauthorized');
    expect(unauthorized(['owner', 'service']).row.code).toBe('agent_unauthorized');
  });
});
