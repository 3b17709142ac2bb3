const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a number of JSON text that has a point or an exponent stays what it is. Fractions are approximations by nature,
 * but none may become an integer that it is not, as 1.0000000000000000001 would. What is no safe integer passes here.
 * (`isSafeNumber` of `lossless-json` says the same of the others, but refuses those, which are told something else.)
 */
export function isKept(token: string): boolean {
  const value = Number(token);
  if (!Number.isSafeInteger(value)) return true;
  const [, whole = '', fraction = '', exponent = '0'] = PARTS.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return true;
  const significant = withoutTrailingZeros(digits);
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  return zeros >= 0 && significant + '0'.repeat(zeros) === String(Math.abs(value));
}

/** By hand: a regular expression would look at each run of zeros again from each of its digits. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end--;
  return digits.slice(0, end);
}
