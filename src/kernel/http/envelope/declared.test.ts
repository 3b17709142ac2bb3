import { describe, expect, it } from '@jest/globals';
import { Declared, type Schema } from './declared.ts';

const text = { type: 'string' };
const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const declared = new Declared({
  Tree: {
    type: 'object',
    required: ['name'],
    properties: { name: text, trees: { type: 'array', items: named('Tree') } },
  },
  Cat: { type: 'object', required: ['kind'], properties: { kind: text, lives: { type: 'integer' } } },
  Dog: { type: 'object', required: ['kind'], properties: { kind: text } },
});

const copy = (schema: Schema, value: unknown): unknown => {
  const made = declared.copyOf(schema);
  return made ? made(value as never) : value;
};

describe('a copy of what is declared', () => {
  it('leaves out everything else, however deep', () => {
    const tree = { name: 'a', secret: 1, trees: [{ name: 'b', secret: 2, trees: [] }, { name: 'c' }] };
    expect(copy(named('Tree'), tree)).toEqual({ name: 'a', trees: [{ name: 'b', trees: [] }, { name: 'c' }] });
  });

  it('takes scalars, lists of them and open objects as they are', () => {
    const schema = {
      properties: { texts: { type: 'array', items: text }, open: { type: 'object', additionalProperties: true } },
    };
    const value = { texts: ['a', 'b'], open: { any: { thing: [1] } } };
    expect(copy(schema, value)).toEqual(value);
  });

  it.each<[string, Schema]>([
    ['allOf', { allOf: [named('Dog')] }],
    ['anyOf', { anyOf: [named('Dog'), { type: 'null' }] }],
  ])('looks through %s around one class, and takes null', (_what, schema) => {
    const within = { properties: { dog: schema } };
    expect(copy(within, { dog: { kind: 'dog', lives: 1 } })).toEqual({ dog: { kind: 'dog' } });
    expect(copy(within, { dog: null })).toEqual({ dog: null });
    expect(JSON.stringify(copy(within, {}))).toBe('{}');
  });

  it('goes by the kind where there are several', () => {
    const mapping = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' };
    const schema = { oneOf: [named('Cat'), named('Dog')], discriminator: { propertyName: 'kind', mapping } };
    expect(copy(schema, { kind: 'cat', lives: 9 })).toEqual({ kind: 'cat', lives: 9 });
    expect(copy(schema, { kind: 'dog', lives: 9 })).toEqual({ kind: 'dog' });
  });

  it('is not made where something required is missing, or where nothing tells what it is', () => {
    expect(() => copy(named('Tree'), { trees: [] })).toThrow('lacks its "name"');
    expect(() => copy(named('Tree'), { name: 'a', trees: [{}] })).toThrow('lacks its "name"');
    expect(() => declared.copyOf({ oneOf: [named('Cat'), named('Dog')] })).toThrow('discriminator');
  });
});
