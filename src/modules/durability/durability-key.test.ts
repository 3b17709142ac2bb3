import { describe, expect, it } from '@jest/globals';
import { isDurabilityKey, normalizeKey, ownerOfKey } from './durability-key.ts';

const ID = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11';

describe('a durability key', () => {
  it.each([ID, ID.toUpperCase(), `${ID}.a`, `${ID}.step_2-draft`, `${ID}.${'a'.repeat(100)}`])('may be %s', (key) => {
    expect(isDurabilityKey(key)).toBe(true);
  });

  it.each(['', 'draft', ID.slice(1), `${ID}.`, `${ID}draft`, `${ID}.Draft`, `${ID}.a.b`, `${ID}.${'a'.repeat(101)}`])(
    'is not "%s"',
    (key) => {
      expect(isDurabilityKey(key)).toBe(false);
    },
  );

  it('names its owner, in one spelling', () => {
    expect(ownerOfKey(`${ID.toUpperCase()}.draft`)).toBe(ID);
    expect(normalizeKey(`${ID.toUpperCase()}.draft`)).toBe(`${ID}.draft`);
  });
});
