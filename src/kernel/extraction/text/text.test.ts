import { describe, expect, it } from '@jest/globals';
import { clean } from './cleaning.ts';
import { codePoints } from './code-points.ts';
import { passagesOf } from './passages.ts';
import { FullError, TextCollector } from './text-collector.ts';

describe('clean', () => {
  it.each([
    ['line ends', 'a \r\nb\rc\u2028d', 'a\nb\nc\nd'],
    ['white space', 'a\u00a0b\u3000c', 'a b c'],
    ['composition', 'e\u0301', 'é'],
    ['controls', 'a\u0000\u0007\u001bb\tc', 'ab\tc'],
    ['what turns text around', 'a\u202eb\u2066c\u200f', 'abc'],
    ['hidden text in tags', 'a\u{e0068}\u{e0069}b', 'ab'],
    ['marks of bytes and soft hyphens', '\ufeffa\u00adb\u200b', 'ab'],
    ['halves of characters', 'a\ud800b', 'a\ufffdb'],
    ['joiners of emoji, which stay', '👩\u200d🔬', '👩\u200d🔬'],
    ['long gaps', `a${' '.repeat(100)}b`, 'a        b'],
  ])('mends %s', (_, text, cleaned) => expect(clean(text)).toBe(cleaned));

  it('takes no time for marks on one letter', () => {
    const began = performance.now();
    expect(clean(`a${'\u0301'.repeat(240_000)}`).length).toBeLessThan(20);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('passages', () => {
  const paragraph = (text: string, count: number) => Array.from({ length: count }, () => ({ text }));

  it('end where paragraphs do', () => {
    const passages = passagesOf(paragraph('x'.repeat(700), 5));
    expect(passages.map((each) => each.length)).toEqual([1_402, 1_402, 700]);
  });

  it('end at lines, sentences and words of longer paragraphs, and cut what has none', () => {
    const of = (text: string) => passagesOf([{ text }]);
    expect(of('line of words\n'.repeat(300)).every((each) => each.endsWith('words'))).toBe(true);
    expect(of('One sentence. '.repeat(300)).every((each) => each.endsWith('.'))).toBe(true);
    expect(of('文です。'.repeat(1_000)).every((each) => each.endsWith('。'))).toBe(true);
    expect(of('word '.repeat(1_000)).every((each) => each.endsWith('word'))).toBe(true);
    expect(of('x'.repeat(4_500)).map((each) => each.length)).toEqual([2_000, 2_000, 500]);
  });

  it('have at most 2,000 code points, and no halves of characters', () => {
    const passages = passagesOf([{ text: '𠮷'.repeat(4_500) }]);
    expect(passages.map(codePoints)).toEqual([2_000, 2_000, 500]);
    expect(passages.every((each) => each.isWellFormed())).toBe(true);
  });

  it('repeat the first row of a table where they begin within it', () => {
    const rows = [
      { text: 'name\tcity', header: '' },
      ...paragraph(`${'x'.repeat(90)}\ty`, 50).map((row) => Object.assign(row, { header: 'name\tcity' })),
    ];
    const passages = passagesOf(rows);
    expect(passages.length).toBeGreaterThan(2);
    for (const passage of passages) {
      expect(passage.startsWith('name\tcity\n')).toBe(true);
      expect(codePoints(passage)).toBeLessThanOrEqual(2_000);
    }
  });
});

describe('TextCollector', () => {
  it('keeps 400,000 code points, and says when it has them', () => {
    const collector = new TextCollector();
    const fill = () => {
      for (;;) collector.paragraph('x'.repeat(1_000));
    };
    expect(fill).toThrow(FullError);
    expect(collector.characters).toBe(400_000);
    expect(collector.blocks.reduce((sum, { text }) => sum + text.length, 0)).toBe(400_000);
  });

  it('keeps nothing of white space, however much there is', () => {
    const collector = new TextCollector();
    for (let piece = 0; piece < 1_000; piece += 1) collector.text(' \n'.repeat(10_000));
    collector.endParagraph();
    expect(collector.blocks).toEqual([]);
  });
});
