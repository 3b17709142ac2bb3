import { describe, expect, it } from '@jest/globals';
import { RateBook } from './conversion.ts';
import { decimalText, Exact, providedDecimal } from './decimals.ts';
import { evaluate, fractionOf, textOf } from './formula.ts';
import type { Formula, FormulaNode } from './metric.ts';

/** Raised for the large run: `INSIGHT_FORMULAS=100000`. */
const FORMULAS = Number(process.env['INSIGHT_FORMULAS'] ?? 3_000);
const DIGITS = 20;

/** The oracle: fractions of whole numbers, without any decimals. */
interface Rational {
  readonly over: bigint;
  readonly under: bigint;
}

function rational(text: string): Rational {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const over = BigInt(whole + fraction) * (text.startsWith('-') ? -1n : 1n);
  return { over, under: 10n ** BigInt(fraction.length) };
}

/** Undefined where a denominator is zero. */
function oracle({ nodes, root }: Formula, values: ReadonlyMap<string, string>): Rational | undefined {
  const results: (Rational | undefined)[] = [];
  const plus = (a: Rational, b: Rational) => ({ over: a.over * b.under + b.over * a.under, under: a.under * b.under });
  for (const node of nodes) {
    if (node.kind === 'constant') results.push(rational(node.value));
    else if (node.kind === 'measure') results.push(rational(values.get(node.measure)!));
    else {
      const operands = node.kind === 'sum' ? node.operands : [node.left, node.right];
      const [a, b, ...more] = operands.map((place) => results[place]);
      if (!a || !b || more.includes(undefined)) results.push(undefined);
      else if (node.kind === 'sum') results.push([b, ...(more as Rational[])].reduce(plus, a));
      else if (node.kind === 'add') results.push(plus(a, b));
      else if (node.kind === 'subtract') results.push(plus(a, { over: -b.over, under: b.under }));
      else if (node.kind === 'multiply') results.push({ over: a.over * b.over, under: a.under * b.under });
      else results.push(b.over === 0n ? undefined : { over: a.over * b.under, under: a.under * b.over });
    }
  }
  return results[root];
}

/** Rounds half to even, to so many significant digits where it has more, or where it never ends. */
function oracleText({ over, under }: Rational, isQuotient: boolean): string {
  const sign = over < 0n !== under < 0n && over !== 0n ? '-' : '';
  const [top, bottom] = [over < 0n ? -over : over, under < 0n ? -under : under];
  if (top === 0n) return '0';
  let places = isQuotient ? DIGITS - 1 : 400;
  let scaled = round(top, bottom, places);
  if (isQuotient) {
    // As many places as leave twenty digits: the magnitude is found by looking.
    let magnitude = String(top).length - String(bottom).length;
    while (top * tens(-magnitude) >= bottom * tens(magnitude) * 10n) magnitude += 1;
    while (top * tens(-magnitude) < bottom * tens(magnitude)) magnitude -= 1;
    places = DIGITS - 1 - magnitude;
    scaled = round(top, bottom, places);
  }
  const text = places > 0 ? String(scaled).padStart(places + 1, '0') : String(scaled * tens(-places));
  if (places <= 0) return sign + text;
  const fraction = text.slice(-places).replace(/0+$/, '');
  return sign + text.slice(0, -places) + (fraction === '' ? '' : `.${fraction}`);
}

function tens(power: number): bigint {
  return power > 0 ? 10n ** BigInt(power) : 1n;
}

function round(top: bigint, bottom: bigint, places: number): bigint {
  const [dividend, divisor] = [top * tens(places), bottom * tens(-places)];
  const [quotient, rest] = [dividend / divisor, dividend % divisor];
  const twice = rest * 2n;
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** A stream of numbers that is the same in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomDecimal(random: (below: number) => number): string {
  const digits = (count: number) => Array.from({ length: count }, () => random(10)).join('');
  if (random(10) === 0) return '0';
  const text = `${random(3) === 0 ? '-' : ''}${digits(1 + random(random(8) === 0 ? 40 : 9))}`;
  return providedDecimal(random(2) === 0 ? text : `${text}.${digits(1 + random(random(8) === 0 ? 20 : 4))}`)!;
}

function randomFormula(random: (below: number) => number) {
  const values = new Map(['a', 'b', 'c', 'd'].map((name) => [name, randomDecimal(random)]));
  const nodes: FormulaNode[] = [...values.keys()].map((measure) => ({ kind: 'measure', measure }));
  const length = nodes.length + 1 + random(8);
  while (nodes.length < length) {
    const place = () => random(nodes.length);
    const kind = (['add', 'subtract', 'multiply', 'divide', 'divide', 'sum', 'constant'] as const)[random(7)]!;
    if (kind === 'constant') nodes.push({ kind, value: randomDecimal(random) });
    else if (kind === 'sum') nodes.push({ kind, operands: Array.from({ length: 2 + random(3) }, place) });
    else nodes.push({ kind, left: place(), right: place() });
  }
  return { formula: { nodes, root: nodes.length - 1 }, values };
}

describe('formulas', () => {
  it(`equal a rational oracle to the last digit, ${FORMULAS} of them and their conversions`, () => {
    const random = randomNumbers(20_261_130);
    let quotients = 0;
    for (let count = 0; count < FORMULAS; count += 1) {
      const { formula, values } = randomFormula(random);
      const result = evaluate(formula, (name) => fractionOf(values.get(name)!))[formula.root]!;
      const expected = oracle(formula, values);
      const shown = JSON.stringify([formula, [...values]]);
      if (result === 'zero_denominator' || !expected) {
        expect([shown, result]).toEqual([shown, expected ? 'a value' : 'zero_denominator']);
        continue;
      }
      const isQuotient = !result.under.equals(1);
      if (isQuotient) quotients += 1;
      const text = textOf(result);
      if (text !== oracleText(expected, isQuotient))
        expect([shown, text]).toEqual([shown, oracleText(expected, isQuotient)]);
      const [from, to] = [`${1 + random(9_000)}.${1 + random(9_999)}`, `0.${1 + random(99_999)}`];
      const book = new RateBook([
        {
          day: '2026-09-24',
          rates: new Map([
            ['AAA', from],
            ['BBB', to],
          ]),
        },
      ]);
      const converted = book.convert(result, 'AAA', 'BBB', '2026-09-25')!;
      const [rateFrom, rateTo] = [rational(from), rational(to)];
      const exact = {
        over: expected.over * rateTo.over * rateFrom.under,
        under: expected.under * rateTo.under * rateFrom.over,
      };
      const asText = oracleText(exact, !converted.value.under.equals(1));
      if (textOf(converted.value) !== asText) expect([shown, textOf(converted.value)]).toEqual([shown, asText]);
    }
    expect(quotients).toBeGreaterThan(FORMULAS / 5);
  });

  it('divide and multiply back to what it was', () => {
    const nodes: FormulaNode[] = [
      { kind: 'constant', value: '1' },
      { kind: 'constant', value: '3' },
      { kind: 'divide', left: 0, right: 1 },
      { kind: 'multiply', left: 2, right: 1 },
    ];
    const values = evaluate({ nodes, root: 3 }, fractionOf);
    expect(values.map((value) => value !== 'zero_denominator' && textOf(value))).toEqual([
      '1',
      '3',
      '0.33333333333333333333',
      '1',
    ]);
  });

  it('keep all digits of sums', () => {
    const nodes: FormulaNode[] = [
      { kind: 'constant', value: '9'.repeat(40) },
      { kind: 'constant', value: `0.${'0'.repeat(19)}1` },
      { kind: 'add', left: 0, right: 1 },
    ];
    expect(textOf(evaluate({ nodes, root: 2 }, fractionOf)[2] as never)).toBe(`${'9'.repeat(40)}.${'0'.repeat(19)}1`);
  });
});

describe('decimals of providers', () => {
  it.each([
    ['007.50', '7.5'],
    ['-0', '0'],
    ['-0.000', '0'],
    ['100', '100'],
    ['0.00000000000000000001', '0.00000000000000000001'],
    ['9'.repeat(40), '9'.repeat(40)],
  ])('are kept of %s', (text, kept) => {
    expect(providedDecimal(text)).toBe(kept);
  });

  it.each(['', '1e3', '+1', '.5', '1.', '1,5', 'NaN', 'Infinity', '0x1', ' 1', '9'.repeat(41), `0.${'1'.repeat(21)}`])(
    'are none: %s',
    (text) => {
      expect(providedDecimal(text)).toBeUndefined();
    },
  );

  it('are told without exponents', () => {
    expect(decimalText(new Exact('1e30'))).toBe(`1${'0'.repeat(30)}`);
    expect(decimalText(new Exact('1e-30'))).toBe(`0.${'0'.repeat(29)}1`);
  });
});
