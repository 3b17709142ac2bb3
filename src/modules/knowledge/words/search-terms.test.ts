import { describe, expect, it } from '@jest/globals';
import { excerptOf } from './excerpt.ts';
import { wordsDigestOf } from './record-words.ts';
import { indispensable, soughtTerms, termsOf, weightOf, wordsOf } from './search-terms.ts';

describe('the words of a text', () => {
  it.each<[string, string[]]>([
    ['Prices, of 2 plans!', ['prices', 'of', '2', 'plans']],
    ['L’ÉTÉ à Nîmes', ['l', 'ete', 'a', 'nimes']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['الأَسْعَار مـــرتفعة', ['الاسعار', 'مرتفعة']],
    ['שָׁלוֹם', ['שלום']],
    ['ﬁnal Ⅳ ｆｕｌｌ', ['final', 'iv', 'full']],
    ['竞争对手', ['竞争', '争对', '对手', '手']],
    ['iPhone手机', ['iphone', '手机', '机']],
    ['カード', ['カー', 'ード', 'ド']],
    ['가격 정책', ['가격', '정책']],
    ['pri\u200Bces \u00ADrose\uFE0F, \u2060an\u3164d \u{E0061}fell', ['prices', 'rose', 'and', 'fell']],
    ['竞争\u200B对手', ['竞争', '争对', '对手', '手']],
    ['', []],
    ['?! … 🎉', []],
    ['x'.repeat(100), ['x'.repeat(64)]],
  ])('of %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are a literal that names each once, with its places and labels', () => {
    expect(
      termsOf([
        ['A', 'red car'],
        ['B', "a red 'n' red"],
      ]),
    ).toBe(`'red':2A,6B,8B 'car':3A 'a':5B 'n':7B`);
    const [, places] = termsOf([['B', 'again '.repeat(20_000)]]).split(':');
    expect(places!.split(',')).toHaveLength(50);
  });

  it('tell equal findings from others', () => {
    const rose = wordsDigestOf('prices rose');
    for (const same of [
      'Prices ROSE.',
      'Prices —\n  rose',
      'Ｐrices rose',
      'pri\u00ADces r\u200Bose\uFE0F',
      '\uFEFFprices rose',
    ])
      expect([same, wordsDigestOf(same)]).toEqual([same, rose]);
    expect(wordsDigestOf('Prices fell.')).not.toBe(rose);
    expect(wordsDigestOf('!')).not.toBe(wordsDigestOf('?'));
    expect(wordsDigestOf('🎉\uFE0F')).toBe(wordsDigestOf('🎉'));
  });
});

describe('what is sought', () => {
  const queries = (text: string) => soughtTerms(text).map(({ query, stem, weight }) => [query, stem?.query, weight]);

  it.each<[string, unknown[]]>([
    ['policies', [["'policies':*", "'polic':*", 16]]],
    [
      'AI in cars',
      [
        ["'cars':*", undefined, 8],
        ["'ai'", undefined, 4],
        ["'in'", undefined, 4],
      ],
    ],
    ['정책', [["'정책':*", undefined, 8]]],
    ['对', [["'对':*", undefined, 8]]],
    ['对手', [["'对手'", undefined, 8]]],
    ['竞争对手', [["'竞争' <-> '争对' <-> '对手'", undefined, 16]]],
    ['提高了价格', ['提高', '高了', '了价', '价格'].map((pair) => [`'${pair}'`, undefined, 6])],
    ['fee fee FEE', [["'fee':*", undefined, 6]]],
  ])('in %j', (text, terms) => {
    expect(queries(text)).toEqual(terms);
  });

  it('is at most eight terms, the heaviest', () => {
    const terms = soughtTerms(`a bb ccc ${Array.from({ length: 9 }, (_, nth) => `longword${nth}`).join(' ')}`);
    expect(terms.map(({ weight }) => weight)).toEqual(Array.from({ length: 8 }, () => 16));
  });

  it('cannot do without the fewest heaviest', () => {
    const terms = soughtTerms('quarterly fee of us');
    expect(weightOf(terms)).toBe(16 + 6 + 4 + 4);
    // What is left weighs less than half.
    expect(indispensable(terms)).toBe(`('quarte':*)`);
    expect(indispensable(soughtTerms('fees cost'))).toBe(`('fees':*) | ('cost':*)`);
  });
});

describe('an excerpt', () => {
  it('is a short text whole, and of a long one what stands around the first word sought', () => {
    const terms = soughtTerms('zeppelins');
    expect(excerptOf('Short.', terms)).toBe('Short.');
    const before = 'é'.repeat(30).concat(' ').repeat(40);
    const shown = excerptOf(`${before}The zeppelin landed. ${before}`, terms);
    expect(shown).toMatch(/^….*The zeppelin landed\..*…$/);
    expect([...shown].length).toBe(400);
    expect(excerptOf(before, terms)).toMatch(/^é.*…$/);
    expect(excerptOf(`${before}The zep\u00ADpelin landed. ${before}`, terms)).toMatch(/^….*The zep\u00ADpelin landed/);
  });
});
