import { describe, expect, it } from '@jest/globals';
import { lessonDigest } from './lesson-digest.ts';

describe('the digest of a lesson', () => {
  it('is the same in other case, spacing, punctuation and forms of letters', () => {
    const digest = lessonDigest('Prices: check them first!');
    for (const same of ['prices check   them FIRST', 'Prices — check\nthem first.', 'Ｐrices check them first'])
      expect(lessonDigest(same)).toBe(digest);
  });

  it('differs for other words, and for texts without any', () => {
    expect(lessonDigest('Check prices first')).not.toBe(lessonDigest('Check prices last'));
    expect(lessonDigest('!!!')).not.toBe(lessonDigest('???'));
  });
});
