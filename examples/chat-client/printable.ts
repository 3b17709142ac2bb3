const UNPRINTABLE = /(?![\t\n])\p{Cc}|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Text of others as a terminal may print it: with `\u{…}` in place of what could move the cursor, clear the screen or reorder
 * what stands beside it. Otherwise an agent could redraw the screen by which a person decides.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
