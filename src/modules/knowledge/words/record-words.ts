import { hash } from 'node:crypto';
import { folded, type Label, termsOf, wordsOf } from './search-terms.ts';

/** How much of a procedure is searched for, in code points. */
const PROCEDURE_SEARCHED = 10_000;

interface Worded {
  readonly key: string;
  readonly title: string;
  readonly finding: string;
  readonly applicability: string;
  readonly procedure: readonly string[];
}

/** What of a record is searched, as a literal of the type `tsvector`. */
export function termsOfRecord({ key, title, finding, applicability, procedure }: Worded): string {
  const steps: [Label, string][] = [];
  let left = PROCEDURE_SEARCHED;
  for (const step of procedure) {
    if (left <= 0) break;
    const points = [...step].slice(0, left);
    steps.push(['D', points.join('')]);
    left -= points.length;
  }
  return termsOf([['A', title], ['A', key], ['B', finding], ['C', applicability], ...steps]);
}

/** The words of a title, for titles that are only similar. */
export function titleWordsOf(title: string): string {
  return wordsOf(title).join(' ');
}

/** Equal for texts with the same words: case, accents, signs and invisible characters make no other finding or lesson. */
export function wordsDigestOf(text: string): string {
  return hash('sha256', wordsOf(text).join(' ') || folded(text), 'hex');
}
