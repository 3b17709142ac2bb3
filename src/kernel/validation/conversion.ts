import type { Type } from '@nestjs/common';
import { type ClassTransformOptions, type TransformFnParams, TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';
import { factsOf } from './field.ts';
import { isPartialUpdate } from './partial-update.ts';

/** How a property comes from what was sent. */
interface Conversion {
  /** Of what class a part is. */
  readonly type: (() => Type) | undefined;
  /** The most items that are looked at; none of a list where the field takes none. */
  readonly maxItems: number;
  readonly nullIsAbsent: boolean;
  readonly transforms: readonly ((given: TransformFnParams) => unknown)[];
}

type Declared = ReturnType<typeof defaultMetadataStorage.findTypeMetadata>;

const compiled = new WeakMap<Type, ReadonlyMap<string, Conversion>>();

/** Unknown keys of one object that are kept so that an issue can name each; a body may hold a hundred thousand. */
const MAX_UNKNOWN_KEYS = 100;

/**
 * An instance of a class from a plain object, by what class-transformer's decorators say of the fields of this folder:
 * `plainToInstance` without looking that up for each key of each object, and without copying what has no class. The
 * caller has refused keys that every object inherits. (Measured: from 4 % of the service's time for a call to 1 %.)
 *
 * Costs what the fields can take and not what was sent: no item is made of a list that is too long, and conversion
 * ends at the hundredth key that no field has. Both are refused by the checks, which see a list of the length that was
 * sent without its items. (Measured for 100,000 empty objects as prerequisites of a task: 2.3 s before, 20 ms now.)
 */
export function instanceOf<T extends object>(shape: Type<T>, plain: object, source: ClassTransformOptions): T {
  const conversions = conversionsOf(shape);
  const instance = new shape();
  let unknown = 0;
  for (const key of Object.keys(plain)) {
    const conversion = conversions.get(key);
    const given = (plain as Record<string, unknown>)[key];
    if (!conversion) {
      // It is refused for these; what else it holds does not matter any more.
      if (++unknown > MAX_UNKNOWN_KEYS) return instance;
      (instance as Record<string, unknown>)[key] = given;
    } else if (given !== null || !conversion.nullIsAbsent) {
      const value = converted(conversion, { key, value: given, obj: plain, source });
      (instance as Record<string, unknown>)[key] = value;
    }
  }
  return instance;
}

interface Given {
  readonly key: string;
  readonly value: unknown;
  readonly obj: object;
  readonly source: ClassTransformOptions;
}

function converted({ type, maxItems, transforms }: Conversion, { key, value: given, obj, source }: Given): unknown {
  const bounded = Array.isArray(given) ? withinBounds(given, maxItems) : given;
  let value = type ? partOf(type(), bounded, source) : bounded;
  for (const transform of transforms)
    value = transform({ key, value, obj, type: TransformationType.PLAIN_TO_CLASS, options: source });
  return value;
}

/** The list; where it is too long one of its length without items, and without the items of lists that it holds itself. */
function withinBounds(list: readonly unknown[], maxItems: number): readonly unknown[] {
  if (list.length > maxItems) return Array(list.length);
  return list.some(Array.isArray) ? list.map((item) => (Array.isArray(item) ? Array(item.length) : item)) : list;
}

/** What is no object is left to the checks. */
function partOf(shape: Type, value: unknown, source: ClassTransformOptions): unknown {
  if (Array.isArray(value)) return value.map((item) => (Array.isArray(item) ? item : partOf(shape, item, source)));
  return typeof value === 'object' && value !== null ? instanceOf(shape, value, source) : value;
}

function conversionsOf(shape: Type): ReadonlyMap<string, Conversion> {
  let conversions = compiled.get(shape);
  if (!conversions) compiled.set(shape, (conversions = readConversions(shape)));
  return conversions;
}

/** Every field is checked, so class-validator knows their names. */
function readConversions(shape: Type): ReadonlyMap<string, Conversion> {
  const fields = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const conversions = new Map<string, Conversion>();
  for (const name of new Set(fields.map(({ propertyName }) => propertyName))) {
    const facts = factsOf(shape, name);
    // Of a field that stays as it is class-transformer knows nothing.
    const found = defaultMetadataStorage.findTypeMetadata(shape, name) as Declared | undefined;
    const transforms = defaultMetadataStorage
      .findTransformMetadatas(shape, name, TransformationType.PLAIN_TO_CLASS)
      .map(({ transformFn }) => transformFn);
    const nests = fields.some(({ propertyName, type }) => propertyName === name && type === 'nestedValidation');
    conversions.set(name, {
      type: found && (() => found.typeFunction() as Type),
      maxItems: facts?.maxItems ?? (nests ? 0 : Infinity),
      nullIsAbsent: facts?.nullIsAbsent === true && !isPartialUpdate(shape),
      transforms,
    });
  }
  return conversions;
}
