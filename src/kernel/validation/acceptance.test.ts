import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { IsInt, validateSync } from 'class-validator';
import { isAccepted } from './acceptance.ts';
import { Integer, Nested, NestedList, OneOf, Text, TextList, Variant, VariantList } from './index.ts';

class Named {
  @Text({ max: 3 })
  name!: string;
}

class Part extends Named {
  @Nested(() => Part, { optional: true, nullable: true })
  part?: Part | null;
}

class Circle {
  @OneOf(['circle'])
  kind!: 'circle';
  @Integer()
  radius!: number;
}

class Square {
  @OneOf(['square'])
  kind!: 'square';
  @Nested(() => Part)
  part!: Part;
}

class Shape extends Part {
  @TextList({ optional: true })
  texts?: string[];
  @NestedList(() => Part, { optional: true })
  parts?: Part[];
  @Variant({ circle: Circle, square: Square }, { optional: true })
  figure?: Circle | Square;
  @VariantList({ circle: Circle, square: Square }, { optional: true })
  figures?: (Circle | Square)[];
}

/** Declares fields of the classes above again, as something else. */
class Changed extends Shape {
  @Text({ max: 4, optional: true })
  override name!: string;
  @NestedList(() => Named, { optional: true, nullable: true })
  override parts?: Part[];
}

class Foreign {
  @IsInt()
  count!: number;
}

class Bare {
  anything?: unknown;
}

const part = { name: 'a' };
const VALUES: readonly object[] = [
  { name: 'abc' },
  { name: 'abcd' },
  { name: null },
  {},
  { name: 'a', other: 1 },
  { name: 'a', constructor: 1 },
  { name: 'a', part },
  { name: 'a', part: null },
  { name: 'a', part: { ...part, part } },
  { name: 'a', part: { ...part, part: { name: 5 } } },
  { name: 'a', part: [part] },
  { name: 'a', part: 'a' },
  { name: 'a', texts: ['a', 'b'] },
  { name: 'a', texts: ['a', 'a'] },
  { name: 'a', parts: [] },
  { name: 'a', parts: [part, { ...part, part }] },
  { name: 'a', parts: [part, { ...part, other: 1 }] },
  { name: 'a', parts: [part, null] },
  { name: 'a', parts: [[part]] },
  { name: 'a', parts: ['a'] },
  { name: 'a', parts: part },
  { name: 'a', parts: null },
  { name: 'a', figure: { kind: 'circle', radius: 1 } },
  { name: 'a', figure: { kind: 'circle', radius: 1.5 } },
  { name: 'a', figure: { kind: 'square', part } },
  { name: 'a', figure: { kind: 'square', radius: 1 } },
  { name: 'a', figure: { kind: 'line' } },
  { name: 'a', figure: {} },
  { name: 'a', figures: [{ kind: 'circle', radius: 1 }] },
  { name: 'a', figures: [{ kind: 'circle', radius: 1 }, { kind: 'line' }] },
];

describe('acceptance', () => {
  it.each(VALUES)('agrees with class-validator on %j', (value) => {
    for (const shape of [Shape, Changed]) {
      const instance = plainToInstance(shape, value);
      const errors = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true });
      expect(isAccepted(instance)).toBe(errors.length === 0);
    }
  });

  it('goes by the class, whatever an instance calls its constructor', () => {
    const instance = plainToInstance(Shape, { name: 'a' });
    for (const constructor of [Foreign, 'x', null])
      expect(
        isAccepted(Object.defineProperty(instance, 'constructor', { value: constructor, configurable: true })),
      ).toBe(true);
    expect(isAccepted(Object.assign(plainToInstance(Shape, { name: 'a' }), { constructor: 'x' }))).toBe(false);
  });

  it('leaves to class-validator what it does not know', () => {
    expect(isAccepted(plainToInstance(Foreign, { count: 1 }))).toBe(false);
    expect(isAccepted(plainToInstance(Bare, { anything: 1 }))).toBe(false);
  });
});
