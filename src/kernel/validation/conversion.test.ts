import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { instanceOf } from './conversion.ts';
import { BODY_SOURCE, ConvertedText, TEXT_SOURCE } from './field.ts';
import { Flag, Integer, Name, Nested, NestedList, OneOf, Text, TextList, Uuid, Variant, VariantList } from './index.ts';

class Part {
  @Name()
  label!: string;
}

class LongPart extends Part {}

class Circle {
  @OneOf(['circle'])
  kind!: 'circle';
  @Nested(() => Part)
  part!: Part;
}

class Base {
  @Uuid({ optional: true })
  id?: string;
  @Nested(() => Part, { optional: true })
  part?: Part;
}

class Shape extends Base {
  @Text({ optional: true })
  text = 'unless said';
  @Integer({ min: 0, max: 10, optional: true })
  count?: number;
  @Flag({ optional: true })
  on?: boolean;
  @TextList({ optional: true })
  words?: string[];
  @NestedList(() => Part, { optional: true })
  parts?: Part[];
  @Variant({ circle: Circle }, { optional: true })
  one?: Circle;
  @VariantList({ circle: Circle }, { optional: true })
  many?: Circle[];
}

const Marked = (mark: string) => ConvertedText((text) => text + mark);

/** Declares fields of the class above again: with conversions of its own, and as something else. */
class Changed extends Shape {
  @Marked('1')
  @Marked('2')
  @Name({ optional: true })
  override text = 'unless said';
  @NestedList(() => LongPart, { optional: true })
  override parts?: LongPart[];
}

class ChangedAgain extends Changed {
  @Marked('3')
  @Text({ optional: true, nullable: true })
  override text = 'unless said';
}

const ID = '0199C9A4-5B1E-7C3A-9F42-1C8F6F0F2A11';
const CIRCLE = { kind: 'circle', part: { label: ' a  b ' } };

/** The classes of everything in a value, since a comparison of values does not see them. */
function classesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(classesOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return [value.constructor.name, ...Object.entries(value).map(([key, inner]) => [key, classesOf(inner)])];
}

describe('instanceOf makes what class-transformer makes', () => {
  it.each([
    {},
    { id: ID, text: 'a', count: 5, on: true, words: ['a'], part: { label: ' a  b ' }, parts: [{ label: 'A' }] },
    { text: {}, count: '5', on: 'true', words: 'a', part: 'x', parts: 'x', one: 'x', many: 'x' },
    { part: [], parts: {}, one: [], many: {} },
    { parts: [null, 1, { label: 'A', more: { deep: [1] } }] },
    { one: CIRCLE, many: [CIRCLE, { kind: 'square', more: 1 }, { part: {} }, null, 1] },
    { unknown: { deep: [{ label: ' A ' }] }, unknowns: [1, null], '': 1 },
  ])('from %j', (plain) => {
    for (const shape of [Shape, Changed, ChangedAgain])
      for (const source of [BODY_SOURCE, TEXT_SOURCE]) {
        const [made, expected] = [instanceOf(shape, plain, source), plainToInstance(shape, plain, source)];
        expect(made).toEqual(expected);
        expect(classesOf(made)).toEqual(classesOf(expected));
      }
  });

  it('with the conversions of the classes above first, and of one class the last that is applied', () => {
    expect(instanceOf(ChangedAgain, { text: ' a  b ' }, BODY_SOURCE).text).toBe('a b 123');
  });
});
