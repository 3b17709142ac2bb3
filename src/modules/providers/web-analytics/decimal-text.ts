const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** A number's text without exponent, digit by digit; undefined where it is none. */
export function plainDecimal(text: string): string | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = whole.length + Number(exponent);
  const digits = whole + fraction;
  const padded = shift < 1 ? '0'.repeat(1 - shift) + digits : digits.padEnd(shift, '0');
  const point = Math.max(shift, 1);
  const [left, right] = [padded.slice(0, point).replace(/^0+(?=\d)/, ''), padded.slice(point).replace(/0+$/, '')];
  const plain = right === '' ? left : `${left}.${right}`;
  return plain === '0' ? '0' : sign + plain;
}
