import { describe, expect, it } from '@jest/globals';
import { schemaNameOf, withPublicNames, withPublicReferences } from './schema-names.ts';

describe('names of schemas', () => {
  it('are those of their classes without the suffix', () => {
    class TaskDto {}
    class Adto {}
    expect([TaskDto, Adto].map(schemaNameOf)).toEqual(['Task', 'Adto']);
    expect(withPublicNames({ TaskDto: { type: 'object' }, Meta: {} })).toEqual({ Task: { type: 'object' }, Meta: {} });
  });

  it('are refused where two would be the same', () => {
    expect(() => withPublicNames({ Issue: {}, IssueDto: {} })).toThrow(
      'Two schemas have the name "Issue"; rename the class of one.',
    );
  });

  it('are those that references and discriminators use, while texts stay as they are', () => {
    const part = {
      description: 'A TaskDto',
      oneOf: [{ $ref: '#/components/schemas/CatDto' }, { $ref: '#/components/schemas/Meta' }],
      discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/CatDto' } },
      example: null,
    };
    expect(withPublicReferences(part)).toEqual({
      description: 'A TaskDto',
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Meta' }],
      discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
      example: null,
    });
  });
});
