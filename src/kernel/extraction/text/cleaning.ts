/**
 * What nobody sees, and could carry text for machines only: controls, direction marks and overrides, invisible
 * operators, soft hyphens, byte order marks, interlinear notes, tag characters, noncharacters. Joiners of emoji and
 * letters stay.
 */
const UNSEEN =
  /(?![\t\n])[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}\p{Noncharacter_Code_Point}]/gu;
const NEWLINE = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
const SPACE = /(?![\t\n ])\p{White_Space}/gu;
const LONG_GAP = /[ \t]{9,}/g;
/** More marks on one letter than any script has; normalisation takes time quadratic in them. */
const MARKS = /(\p{M}{8})\p{M}+/gu;

/** Text of several lines as one. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, (gap) => (gap.includes('\n') ? ' ' : gap));
}

/** Text as it is kept: NFC, `\n` between lines, without what is unseen and without white space at the ends of lines. */
export function clean(text: string): string {
  const seen = text
    .toWellFormed()
    .replace(NEWLINE, '\n')
    .replace(SPACE, ' ')
    .replace(UNSEEN, '')
    .replace(MARKS, '$1')
    .normalize('NFC')
    .replace(LONG_GAP, '        ');
  return seen
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
