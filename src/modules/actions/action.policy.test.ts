import { describe, expect, it } from '@jest/globals';
import { changedFact, effectiveRisk, policyOf } from './action.policy.ts';

describe('effectiveRisk', () => {
  it.each([
    ['low', null, 'low'],
    ['low', 'high', 'high'],
    ['external', 'low', 'external'],
    ['high', 'external', 'high'],
  ] as const)('is of %s and %s the higher one, %s', (catalog, caller, effective) => {
    expect(effectiveRisk(catalog, caller)).toBe(effective);
  });
});

describe('policyOf', () => {
  const input = { catalogRisk: 'low', callerRisk: null, connectorReasons: [], approvalRequiredForRisk: [] } as const;

  it('wants nobody’s approval where nothing asks for it', () => {
    expect(policyOf(input)).toMatchObject({ approvalRequired: false, reasons: [] });
    expect(policyOf({ ...input, approvalRequiredForRisk: ['external', 'high'] }).approvalRequired).toBe(false);
  });

  it('names every reason', () => {
    const all = policyOf({
      catalogRisk: 'external',
      callerRisk: 'high',
      connectorReasons: ['access_mode', 'tool_review'],
      approvalRequiredForRisk: ['high'],
    });
    expect(all).toEqual({
      approvalRequired: true,
      reasons: ['access_mode', 'tool_review', 'risk'],
      catalogRisk: 'external',
      callerRisk: 'high',
    });
  });
});

describe('changedFact', () => {
  it('names the fact that changed or is gone', () => {
    expect(changedFact({ a: '1', b: '2' }, { a: '1', b: '3' })).toBe('b');
    expect(changedFact({ a: '1' }, {})).toBe('a');
  });

  it('does not mind what is new', () => {
    expect(changedFact({ a: '1' }, { a: '1', b: '2' })).toBeUndefined();
  });
});
