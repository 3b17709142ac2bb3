/**
 * The words of texts and of what is sought in them: one form for both sides. Scripts without spaces are taken in
 * overlapping pairs of characters, because PostgreSQL's own parsers make one word of a whole sentence.
 */

/** Latin and Greek accents, Hebrew points, Arabic vowels, the stretching of words, and what nobody sees inside a word. */
const UNSAID =
  /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]|[\u0300-\u036F]|[\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7]|\u0640|[\u064B-\u065F\u0670]/gu;
const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`;
const PART = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const HANGUL = /\p{Script=Hangul}/gu;

const LONGEST_WORD = 64;
/** Positions that are kept of one word, and the last position there is. */
const POSITIONS = 50;
const LAST_POSITION = 16_383;

/** A text without accents, case and invisible characters, in the form in which it is compared. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(UNSAID, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(UNSAID, '')
    .replaceAll('ς', 'σ');
}

/** Runs of one kind of script in their order. */
function* partsOf(text: string): Generator<{ readonly text: string; readonly isUnspaced: boolean }> {
  for (const [run] of folded(text).matchAll(RUN))
    for (const [part] of run.matchAll(PART)) yield { text: part, isUnspaced: IS_UNSPACED.test(part) };
}

/** The words of a text: of unspaced scripts the overlapping pairs of characters, and the last one alone. */
export function wordsOf(text: string): string[] {
  return [...partsOf(text)].flatMap((part) => (part.isUnspaced ? pairsAndLast(part.text) : [cut(part.text)]));
}

function pairsAndLast(run: string): string[] {
  const points = [...run];
  return points.map((point, index) => point + (points[index + 1] ?? ''));
}

function pairsOf(points: readonly string[]): string[] {
  return points.slice(1).map((point, index) => points[index]! + point);
}

function cut(word: string): string {
  return word.length <= LONGEST_WORD ? word : [...word].slice(0, LONGEST_WORD).join('');
}

export type Label = 'A' | 'B' | 'C' | 'D';

/** A literal of the type `tsvector`: the words of texts, each with the label of its text. */
export function termsOf(texts: readonly (readonly [Label, string])[]): string {
  const places = new Map<string, string[]>();
  let position = 0;
  for (const [label, text] of texts) {
    // A phrase does not reach from one text into the next.
    position += 1;
    for (const word of wordsOf(text)) {
      if (position < LAST_POSITION) position += 1;
      const at = places.get(word);
      if (!at) places.set(word, [`${position}${label}`]);
      else if (at.length < POSITIONS) at.push(`${position}${label}`);
    }
  }
  return [...places].map(([word, at]) => `${quoted(word)}:${at.join(',')}`).join(' ');
}

function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** A thing that is sought: literals of the type `tsquery`. Weights are doubled, so that half of one is whole. */
export interface SoughtTerm {
  readonly weight: number;
  readonly query: string;
  /** The same in titles and keys alone. */
  readonly inTitle: string;
  /** The word's stem, which counts for half. */
  readonly stem: { readonly query: string; readonly inTitle: string } | null;
}

const MOST_TERMS = 8;
const PREFIX_FROM = 3;
const HEAVIEST = 8;
const STEM_FROM = 6;
const SHORTEST_STEM = 5;
const PHRASE_UP_TO = 4;
const WEIGHT_OF_PAIR = 3;
const WEIGHT_OF_SINGLE = 4;

/** The heaviest terms of a text, the heaviest first; none where it has neither letter nor digit. */
export function soughtTerms(text: string): SoughtTerm[] {
  const terms = new Map<string, SoughtTerm>();
  for (const part of partsOf(text))
    for (const term of part.isUnspaced ? unspacedTerms([...part.text]) : [spacedTerm(cut(part.text))])
      if (!terms.has(term.query)) terms.set(term.query, term);
  return [...terms.values()].toSorted((a, b) => b.weight - a.weight).slice(0, MOST_TERMS);
}

function spacedTerm(word: string): SoughtTerm {
  const points = [...word];
  const size = points.length + (word.match(HANGUL)?.length ?? 0);
  const weight = 2 * Math.min(size, HEAVIEST);
  if (size < PREFIX_FROM) return { weight, ...exact(word), stem: null };
  const stem =
    points.length < STEM_FROM
      ? null
      : prefix(points.slice(0, Math.max(Math.floor((points.length * 2) / 3), SHORTEST_STEM)).join(''));
  return { weight, ...prefix(word), stem };
}

function unspacedTerms(points: readonly string[]): SoughtTerm[] {
  if (points.length === 1) return [{ weight: 2 * WEIGHT_OF_SINGLE, ...prefix(points[0]!), stem: null }];
  const pairs = pairsOf(points);
  if (points.length > PHRASE_UP_TO)
    return pairs.map((pair) => ({ weight: 2 * WEIGHT_OF_PAIR, ...exact(pair), stem: null }));
  const weight = 2 * Math.min(2 * points.length, HEAVIEST);
  return [{ weight, query: phrase(pairs, ''), inTitle: phrase(pairs, ':A'), stem: null }];
}

function exact(word: string) {
  return { query: quoted(word), inTitle: `${quoted(word)}:A` };
}

function prefix(word: string) {
  return { query: `${quoted(word)}:*`, inTitle: `${quoted(word)}:*A` };
}

function phrase(pairs: readonly string[], suffix: string): string {
  return pairs.map((pair) => quoted(pair) + suffix).join(' <-> ');
}

/**
 * The fewest of the heaviest terms of which one must match, because the others together weigh less than half: a literal of
 * the type `tsquery`.
 */
export function indispensable(terms: readonly SoughtTerm[]): string {
  let left = weightOf(terms);
  const half = left / 2;
  const needed: string[] = [];
  for (const { weight, query, stem } of terms) {
    if (left < half) break;
    needed.push(stem ? `(${stem.query})` : `(${query})`);
    left -= weight;
  }
  return needed.join(' | ');
}

export function weightOf(terms: readonly SoughtTerm[]): number {
  return terms.reduce((sum, { weight }) => sum + weight, 0);
}
