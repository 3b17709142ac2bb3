import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../../kernel/errors/index.ts';
import { StrictSchema } from './strict-schema.ts';

const schema = new StrictSchema({
  type: 'object',
  properties: {
    id: { type: 'string', pattern: '^[0-9]{1,20}$' },
    size: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
    names: { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 1, maxItems: 2, uniqueItems: true },
    mode: { enum: ['live', 'test'] },
    'a/b': { type: 'object', properties: { c: { const: 1 } }, additionalProperties: false },
  },
  required: ['id'],
  additionalProperties: false,
});

/** Path and code of the first issue; undefined where there is none. */
function refusal(value: unknown): string | undefined {
  try {
    schema.checked(value, 'arguments');
    return undefined;
  } catch (error) {
    const [issue] = (error as ApiError).issues!;
    return `${issue!.path} ${issue!.code}`;
  }
}

describe('a value held against a schema of the release', () => {
  it('gets its defaults in a copy', () => {
    const given = { id: '1' };
    expect(schema.checked(given, 'arguments')).toEqual({ id: '1', size: 25 });
    expect(given).toEqual({ id: '1' });
  });

  it.each<[string, unknown]>([
    ['arguments wrong_type', []],
    ['arguments.id required', {}],
    ['arguments.id wrong_type', { id: 1 }],
    ['arguments.id invalid_text', { id: '1 ' }],
    ['arguments.idd unknown_property', { id: '1', idd: '1' }],
    ['arguments.size out_of_range', { id: '1', size: 101 }],
    ['arguments.size wrong_type', { id: '1', size: 1.5 }],
    ['arguments.names invalid_length', { id: '1', names: [] }],
    ['arguments.names duplicate_item', { id: '1', names: ['a', 'a'] }],
    ['arguments.names.1 invalid_length', { id: '1', names: ['a', 'long'] }],
    ['arguments.mode unknown_value', { id: '1', mode: 'none' }],
    ['arguments.a/b.c unknown_value', { id: '1', 'a/b': { c: 2 } }],
    ['arguments.a/b.d unknown_property', { id: '1', 'a/b': { d: 2 } }],
    ['arguments too_many_values', { id: '1', names: Array(5_001).fill('a') }],
  ])('is refused with %s', (expected, value) => expect(refusal(value)).toBe(expected));

  it('is not taken for what its prototype has', () => {
    expect(refusal(JSON.parse('{"id":"1","__proto__":{"size":1}}'))).toBe('arguments.__proto__ unknown_property');
    expect(refusal({ id: '1', constructor: 1 })).toBe('arguments.constructor unknown_property');
  });
});
