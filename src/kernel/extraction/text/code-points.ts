const HIGH_SURROGATE = /[\uD800-\uDBFF]/;

/** Length in Unicode code points. (That of `kernel/validation` would load the decorators of its fields.) */
export function codePoints(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The first `count` code points. */
export function firstCodePoints(text: string, count: number): string {
  return text.slice(0, unitsOf(text, count));
}

/** How many UTF-16 units the first `count` code points take. */
export function unitsOf(text: string, count: number): number {
  if (text.length <= count) return text.length;
  if (!HIGH_SURROGATE.test(text)) return count;
  let units = 0;
  for (let seen = 0; seen < count && units < text.length; seen += 1) units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  return units;
}
