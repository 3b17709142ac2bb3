import { describe, expect, it } from '@jest/globals';
import { splitByKind } from './kinds.ts';

const text = { type: 'string' };
const schemas = {
  Plain: { type: 'object', properties: { kind: text }, required: ['kind'] },
  Pet: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['old_cat', 'dog'], example: 'dog' },
      name: text,
      nick: text,
      lives: { type: 'integer', 'x-kinds': ['old_cat'] },
      tricks: { type: 'array', items: text, 'x-kinds': ['dog'], 'x-may-lack': true },
    },
    required: ['kind', 'name'],
  },
};

describe('a schema whose fields name their kinds', () => {
  const split = splitByKind(schemas);

  it('is the union of one schema a kind, the example’s first', () => {
    expect(split.Pet).toEqual({
      oneOf: [{ $ref: '#/components/schemas/PetDog' }, { $ref: '#/components/schemas/PetOldCat' }],
      discriminator: {
        propertyName: 'kind',
        mapping: { dog: '#/components/schemas/PetDog', old_cat: '#/components/schemas/PetOldCat' },
      },
    });
  });

  it('gives each kind its own fields, which it has unless it may lack them', () => {
    expect(split.PetOldCat).toEqual({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['old_cat'] },
        name: text,
        nick: text,
        lives: { type: 'integer' },
      },
      required: ['kind', 'name', 'lives'],
    });
    expect(split.PetDog).toEqual({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['dog'] },
        name: text,
        nick: text,
        tricks: { type: 'array', items: text },
      },
      required: ['kind', 'name'],
    });
  });
});

it('leaves other schemas as they are', () => {
  expect(splitByKind(schemas).Plain).toBe(schemas.Plain);
});
