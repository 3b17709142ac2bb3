import { codePoints } from '../../../kernel/validation/index.ts';
import { folded, type SoughtTerm } from './search-terms.ts';

const LONGEST = 400;
/** What is shown before the first word that was sought. */
const LEAD = 80;

/** The part of a text around the first word that was sought, at most 400 characters with an ellipsis where it is cut. */
export function excerptOf(text: string, terms: readonly SoughtTerm[]): string {
  const points = [...text];
  if (points.length <= LONGEST) return text;
  const at = placeOf(text, terms);
  const from = at <= LONGEST - LEAD ? 0 : Math.min(at - LEAD, points.length - LONGEST + 1);
  const room = LONGEST - (from > 0 ? 1 : 0) - (from + LONGEST < points.length ? 1 : 0);
  const shown = points.slice(from, from + room).join('');
  return `${from > 0 ? '…' : ''}${shown}${from + room < points.length ? '…' : ''}`;
}

/** The beginning of a text, with an ellipsis where it is cut. */
export function cutToCodePoints(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}

/** In code points. Searches words of the text one by one, since their folded forms have other lengths. */
function placeOf(text: string, terms: readonly SoughtTerm[]): number {
  const sought = terms.flatMap(({ stem, query }) => beginningsOf(stem?.query ?? query));
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]+/gu)) {
    const form = folded(word);
    const within = sought.map((each) => (isSpaced(each) ? (form.startsWith(each) ? 0 : -1) : form.indexOf(each)));
    const found = Math.min(...within.map((place) => (place < 0 ? Infinity : place)));
    if (found < Infinity) return codePoints(text.slice(0, index)) + found;
  }
  return 0;
}

function beginningsOf(query: string): string[] {
  return [...query.matchAll(/'((?:[^']|'')+)'/g)].map(([, word]) =>
    word!.replaceAll("''", "'").replaceAll('\\\\', '\\'),
  );
}

function isSpaced(word: string): boolean {
  return !/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    word,
  );
}
