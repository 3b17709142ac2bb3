const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a JSON number with a point or an exponent keeps its value. Fractions are approximations by nature, but none
 * may be rounded to an integer, as 1.0000000000000000001 would be. Numbers that are no safe integers pass here.
 * (`isSafeNumber` of `lossless-json` decides alike on the rest, but refuses those, which get another message.)
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

/** Without a regular expression, which would scan each run of zeros again from each of its digits. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end--;
  return digits.slice(0, end);
}
