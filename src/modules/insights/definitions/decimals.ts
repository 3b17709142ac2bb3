import { Decimal } from 'decimal.js';

/** Adds, subtracts and multiplies without rounding: far more digits than any formula over stored values has. */
export const Exact = Decimal.clone({ precision: 4_000, toExpNeg: -9e15, toExpPos: 9e15, rounding: 6 });
/** Divides, to 20 significant digits, half to even. */
export const Rounded = Decimal.clone({ precision: 20, toExpNeg: -9e15, toExpPos: 9e15, rounding: 6 });

/** What is kept of a provider's text. */
const PROVIDED = /^-?[0-9]{1,40}(?:\.[0-9]{1,20})?$/;

/** A decimal without exponent, trailing zeros or negative zero, which is how every value is told. */
export function decimalText(value: Decimal): string {
  return value.isZero() ? '0' : value.toFixed();
}

/** A provider's number in the form in which it is kept; undefined where it is none, or too long. */
export function providedDecimal(text: string): string | undefined {
  return PROVIDED.test(text) ? decimalText(new Exact(text)) : undefined;
}

/** The sum of decimals as texts. */
export function sumOf(texts: readonly string[]): string {
  return decimalText(texts.reduce((sum, text) => sum.plus(text), new Exact(0)));
}
