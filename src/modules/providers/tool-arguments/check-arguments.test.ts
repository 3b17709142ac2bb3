import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ApiError } from '../../../kernel/errors/index.ts';
import { checkArguments, fitsOutput } from './check-arguments.ts';

/** Where and with which word arguments are refused; undefined where they are taken. */
function refusal(inputSchema: object, args: unknown): string | undefined {
  try {
    checkArguments(inputSchema, args);
    return undefined;
  } catch (error) {
    const [issue] = (error as ApiError).issues!;
    return `${issue!.path} ${issue!.code}`;
  }
}

const ORDER = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 3 },
    status: { enum: ['open', 'paid'] },
    count: { type: 'integer', minimum: 1, maximum: 10 },
    lines: { type: 'array', maxItems: 2, items: { type: 'object', properties: { 'a/b~c': { type: 'boolean' } } } },
  },
};

describe('arguments of a discovered tool', () => {
  it.each<[unknown, string | undefined]>([
    [{ id: 'a' }, undefined],
    [{ id: 'a', status: 'paid', count: 10, lines: [{ 'a/b~c': true }, {}] }, undefined],
    [{}, 'arguments.id required'],
    [{ id: 7 }, 'arguments.id wrong_type'],
    [{ id: 'long' }, 'arguments.id invalid_length'],
    [{ id: 'a', status: 'lost' }, 'arguments.status unknown_value'],
    [{ id: 'a', count: 11 }, 'arguments.count out_of_range'],
    [{ id: 'a', lines: [{}, { 'a/b~c': 1 }] }, 'arguments.lines.1.a/b~c wrong_type'],
    [{ id: 'a', lines: [1, 2, 3] }, 'arguments.lines invalid_length'],
    [{ id: 'a', other: 1 }, 'arguments.other unknown_property'],
    [[], 'arguments wrong_type'],
    [{ id: 'a', lines: Array(5_000).fill(1) }, 'arguments too_many_values'],
  ])('%j', (args, expected) => expect(refusal(ORDER, args)).toBe(expected));

  it('are asked for by their own properties, not by those of every object', () => {
    expect(refusal({ required: ['constructor'] }, {})).toBe('arguments.constructor required');
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}') as object;
    expect(refusal(schema, JSON.parse('{"__proto__":1}'))).toBe('arguments.__proto__ wrong_type');
  });

  it.each<[string, object, unknown]>([
    ['references', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, 1],
    [
      'patterns',
      { properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
      { a: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' },
    ],
    ['patterns of names', { patternProperties: { '^a': {} }, additionalProperties: false }, { abc: 1 }],
    ['formats', { properties: { a: { format: 'email' } } }, { a: 'nobody' }],
    ['negations', { not: { $ref: '#' } }, {}],
    ['conditions', JSON.parse('{"if":{"pattern":"a"},"then":false}') as object, {}],
    ['unevaluated properties', { $ref: '#/$defs/a', unevaluatedProperties: false }, { a: 1 }],
    ['choices of one', { oneOf: [{ pattern: 'a' }, { pattern: 'b' }] }, 'a'],
    ['keywords that are none', { type: 'text', minimum: '3', required: 'id', enum: [], anyOf: {}, multipleOf: 0 }, 1],
  ])('are not judged by %s', (_, schema, args) => expect(refusal(schema, args)).toBeUndefined());

  it('are judged by tuples of either revision', () => {
    const [pair, old] = [
      { prefixItems: [{ type: 'string' }], items: false },
      { items: [{ type: 'string' }], additionalItems: false },
    ];
    for (const schema of [pair, old]) {
      expect(refusal({ properties: { a: schema } }, { a: ['x'] })).toBeUndefined();
      expect(refusal({ properties: { a: schema } }, { a: [1] })).toBe('arguments.a.0 wrong_type');
      expect(refusal({ properties: { a: schema } }, { a: ['x', 'y'] })).toBe('arguments.a.1 unknown_property');
    }
  });

  it('of a schema made to burn time are judged in no time', () => {
    const doubled: Record<string, object> = { d0: { type: 'object' } };
    for (let level = 1; level < 30; level += 1)
      doubled[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] };
    let deep: object = { type: 'integer' };
    for (let level = 0; level < 12; level += 1) deep = { anyOf: [deep, deep, { items: deep }] };
    const wide = { items: { anyOf: Array.from({ length: 5_000 }, (_, each) => ({ const: each })) } };
    const values = { items: { enum: Array.from({ length: 5_000 }, (_, each) => each) } };
    for (const schema of [{ $ref: '#/$defs/d29', $defs: doubled }, deep, wide, values]) {
      const began = performance.now();
      refusal(schema, Array(4_990).fill(0.5));
      // Half a second is far above what it takes on a busy machine, and far below what such schemas can cost.
      expect(performance.now() - began).toBeLessThan(500);
    }
  });
});

describe('a result', () => {
  it('is held against its output schema as far as the rebuilt one tells', () => {
    const schema = { type: 'object', required: ['n'] };
    expect([fitsOutput(schema, { n: 1 }), fitsOutput(schema, {})]).toEqual([true, false]);
  });
});

describe('whatever a schema says', () => {
  it('what it accepts is accepted', () => {
    const next = random(20_261_130);
    let accepted = 0;
    for (let round = 0; round < 300; round += 1) {
      const schema = schemaOf(next, 3);
      const whole = new Ajv2020({
        strict: false,
        validateFormats: false,
        validateSchema: false,
        logger: false,
      }).compile(schema);
      for (let each = 0; each < 4; each += 1) {
        const value = valueOf(next, 3);
        if (!whole(value)) continue;
        accepted += 1;
        expect([schema, value, refusal(schema, value)]).toEqual([schema, value, undefined]);
      }
    }
    expect(accepted).toBeGreaterThan(300);
  });
});

type Next = (below: number) => number;

function random(seed: number): Next {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function schemaOf(next: Next, depth: number): object {
  const inner = () => (depth === 0 ? next(2) === 0 : schemaOf(next, depth - 1));
  const list = () => Array.from({ length: 1 + next(2) }, inner);
  const some: Record<string, () => unknown> = {
    type: () => ['string', 'integer', 'array', 'object'][next(4)],
    properties: () => ({ a: inner(), b: inner() }),
    additionalProperties: inner,
    patternProperties: () => ({ '^a': inner() }),
    required: () => ['a'],
    items: inner,
    prefixItems: list,
    enum: () => [valueOf(next, 1), valueOf(next, 1)],
    const: () => valueOf(next, 1),
    anyOf: list,
    oneOf: list,
    allOf: list,
    not: inner,
    if: inner,
    [['th', 'en'].join('')]: inner,
    minLength: () => next(3),
    maxItems: () => next(3),
    minimum: () => next(3),
    pattern: () => 'a',
    unevaluatedProperties: inner,
    propertyNames: inner,
    uniqueItems: () => true,
    contains: inner,
  };
  const names = Object.keys(some);
  const chosen = Array.from({ length: next(4) }, () => names[next(names.length)]!);
  const schema = Object.fromEntries(chosen.map((name) => [name, some[name]!()]));
  if (Array.isArray(schema['enum']))
    schema['enum'] = [...new Set(schema['enum'].map((each) => JSON.stringify(each)))].map(
      (each) => JSON.parse(each) as unknown,
    );
  return schema;
}

function valueOf(next: Next, depth: number): unknown {
  const inner = () => (depth === 0 ? next(3) : valueOf(next, depth - 1));
  return [
    () => next(4),
    () => 'ab'.slice(next(3)),
    () => ({ a: inner(), b: inner() }),
    () => [inner(), inner()],
    () => ({}),
  ][next(5)]!();
}
