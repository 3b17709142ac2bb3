import type { Decimal } from 'decimal.js';
import { decimalText, Exact, Rounded } from './decimals.ts';
import type { Formula, FormulaNode } from './metric.ts';

/** An exact value: numerator over denominator, of which nothing was rounded. */
export interface Fraction {
  readonly over: Decimal;
  readonly under: Decimal;
}

/** Of a division by zero there is none. */
export type Evaluated = Fraction | 'zero_denominator';

const ONE = new Exact(1);
const ZERO: Fraction = { over: new Exact(0), under: ONE };
/** Digits up to which products are exact; formulas of 32 steps over stored values stay far below. */
const MOST_DIGITS = 4_000;

export function fractionOf(text: string): Fraction {
  return { over: new Exact(text), under: ONE };
}

/** Values of all steps of a formula, each exact. `valueOf` tells those of its measures. */
export function evaluate({ nodes }: Formula, valueOf: (measure: string) => Fraction): readonly Evaluated[] {
  const values: Evaluated[] = [];
  for (const node of nodes) values.push(stepOf(node, values, valueOf));
  return values;
}

function stepOf(node: FormulaNode, values: readonly Evaluated[], valueOf: (measure: string) => Fraction): Evaluated {
  switch (node.kind) {
    case 'constant':
      return fractionOf(node.value);
    case 'measure':
      return valueOf(node.measure);
    case 'sum': {
      let sum: Evaluated = ZERO;
      for (const operand of node.operands) sum = combined('add', sum, values[operand]!);
      return sum;
    }
    default:
      return combined(node.kind, values[node.left]!, values[node.right]!);
  }
}

type Operation = 'add' | 'subtract' | 'multiply' | 'divide';

function combined(operation: Operation, left: Evaluated, right: Evaluated): Evaluated {
  if (left === 'zero_denominator' || right === 'zero_denominator') return 'zero_denominator';
  switch (operation) {
    case 'multiply':
      return multiplied(left, right);
    case 'divide':
      return right.over.isZero() ? 'zero_denominator' : multiplied(left, { over: right.under, under: right.over });
    default:
      return added(left, operation === 'add' ? right : { over: right.over.negated(), under: right.under });
  }
}

/** The product, exact. */
export function multiplied(left: Fraction, right: Fraction): Fraction {
  return { over: times(left.over, right.over), under: times(left.under, right.under) };
}

function added(left: Fraction, right: Fraction): Fraction {
  if (left.under.equals(right.under)) return { over: exact(left.over.plus(right.over)), under: left.under };
  const over = times(left.over, right.under).plus(times(right.over, left.under));
  return { over: exact(over), under: times(left.under, right.under) };
}

function times(left: Decimal, right: Decimal): Decimal {
  if (left === ONE) return right;
  return right === ONE ? left : exact(left.times(right));
}

function exact(value: Decimal): Decimal {
  if (value.precision() >= MOST_DIGITS) throw new RangeError('A formula has more digits than are computed exactly.');
  return value;
}

/**
 * The value as text: of a quotient rounded once, to 20 significant digits, half to even; whole otherwise, however many digits it
 * has.
 */
export function textOf({ over, under }: Fraction): string {
  if (under.equals(ONE)) return decimalText(over);
  return decimalText(new Rounded(over).div(new Rounded(under)));
}
