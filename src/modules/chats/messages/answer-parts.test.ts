import { describe, expect, it } from '@jest/globals';
import { cutAnswer } from './answer-parts.ts';

const parts = (...texts: string[]) => texts.map((text, nth) => ({ id: `p${nth}`, kind: 'text' as const, text }));
const cut = (maxBytes: number, ...texts: string[]) => cutAnswer(parts(...texts), maxBytes).map(({ text }) => text);

describe('cutAnswer', () => {
  it('keeps what fits', () => {
    expect(cut(6, 'abc', '', 'def')).toEqual(['abc', '', 'def']);
  });

  it('ends with a mark where the limit lies, within the limit where there is room for it', () => {
    expect(cut(9, 'abc', 'defghij', 'klm')).toEqual(['abc', 'def…']);
    expect(cut(9, 'ééééé')).toEqual(['ééé…']);
    expect(cut(8, 'ééééé')).toEqual(['éé…']);
    expect(cut(10, '😀😀😀')).toEqual(['😀…']);
    expect(cut(3, 'abc', 'def')).toEqual(['abc', '…']);
  });
});
