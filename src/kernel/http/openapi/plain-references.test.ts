import { expect, it } from '@jest/globals';
import { withPlainReferences } from './plain-references.ts';

const [a, b] = [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }];

it('puts references beside what was said of them', () => {
  const part = {
    one: { description: 'An A', allOf: [a] },
    two: { allOf: [a, b] },
    list: [{ allOf: [b], example: null }],
    inline: { allOf: [{ type: 'object' }] },
  };
  expect(withPlainReferences(part)).toEqual({
    one: { description: 'An A', ...a },
    two: { allOf: [a, b] },
    list: [{ ...b, example: null }],
    inline: { allOf: [{ type: 'object' }] },
  });
});
