/** The beginning of a text, at most `max` characters. */
export function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const LONGEST_QUOTE = 300;
/** Headings and rows of tables say little by themselves. */
const MARKUP = /^[#|]/;

/** The sentence of a text that has most of the subject's words, on one line; the first where none has any. */
export function quote(text: string, subject: string): string {
  const words = [...new Set(subject.toLowerCase().match(/\p{Script=Han}{2}|[\p{L}\p{N}]{3,}/gu) ?? [])];
  const score = (sentence: string) => {
    const lower = sentence.toLowerCase();
    return words.reduce((sum, word) => sum + (lower.includes(word) ? word.length : 0), 0);
  };
  const lines = text.split('\n').map((line) => line.trim());
  const plain = lines.filter((line) => line !== '' && !MARKUP.test(line));
  const sentences = (plain.length > 0 ? plain : lines).flatMap((line) =>
    Array.from(SENTENCES.segment(line), ({ segment }) => segment.trim()),
  );
  let best = sentences[0] ?? '';
  for (const each of sentences) if (score(each) > score(best)) best = each;
  return cut(best.replace(/\s+/g, ' '), LONGEST_QUOTE);
}
