import { EdgeIssues } from '../errors/index.ts';
import { applyDecorators, type Type } from '@nestjs/common';
import { Converted, field, type FieldOptions, isText, isTextSource, LIST_OF_OBJECTS } from './field.ts';
import { codePoints, isStorable } from './text.ts';

interface ListOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
  /** Schema and test of one item; text of 1 to 200 characters by default. */
  readonly items?: {
    readonly schema: object;
    /** Completes "item 3 must be …". */
    readonly what: string;
    readonly test: (text: string) => boolean;
  };
}

const SHORT_TEXT = {
  schema: { type: 'string', minLength: 1, maxLength: 200 },
  what: 'text of 1 to 200 characters',
  test: (text: string) => isStorable(text) && codePoints(text) >= 1 && codePoints(text) <= 200,
};

/** A list of distinct strings; in a query, a parameter that may repeat. */
export function TextList({ min = 0, max = 100, items = SHORT_TEXT, ...options }: ListOptions = {}): PropertyDecorator {
  const isList = (value: unknown): value is unknown[] => Array.isArray(value);
  const isBad = (item: unknown) => !(isText(item) && items.test(item));
  return applyDecorators(
    Converted((value, source) => (isTextSource(source) && isText(value) ? [value] : value)),
    field(
      { type: 'array', items: items.schema, minItems: min, maxItems: max, uniqueItems: true },
      [
        { issue: EdgeIssues.wrongType, message: 'must be an array', passes: isList },
        {
          issue: EdgeIssues.invalidLength,
          message: `must have ${min} to ${max} items`,
          passes: (value) => isList(value) && value.length >= min && value.length <= max,
        },
        {
          issue: EdgeIssues.invalidItem,
          message: (value) => `item ${(value as unknown[]).findIndex(isBad) + 1} must be ${items.what}`,
          passes: (value) => isList(value) && !value.some(isBad),
        },
        {
          issue: EdgeIssues.duplicateItem,
          message: 'must not repeat an item',
          passes: (value) => isList(value) && new Set(value).size === value.length,
        },
      ],
      options,
    ),
  );
}

/** A list of distinct words of a fixed set. */
export function ListOf(values: readonly string[], options: Omit<ListOptions, 'items'> = {}): PropertyDecorator {
  const schema = { type: 'string', enum: [...values] };
  const test = (text: string) => values.includes(text);
  return TextList({ ...options, items: { schema, what: `one of ${values.join(', ')}`, test } });
}

/** Names the function `type`, because Swagger resolves a type later only from a function of that name. */
function lazily(of: () => Type): () => Type {
  const { type } = { type: () => of() };
  return type;
}

/** An object of another class. */
export function Nested(type: () => Type, options: FieldOptions = {}): PropertyDecorator {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  // class-transformer would walk into an array or wrap a scalar; only objects become the class.
  const check = { issue: EdgeIssues.wrongType, message: 'must be an object', passes: isObject };
  return field({ type: lazily(type) }, [check], options, { isList: false, type });
}

/** A list of objects of another class. */
export function NestedList(
  type: () => Type,
  options: FieldOptions & { min?: number; max?: number } = {},
): PropertyDecorator {
  const { min = 0, max = 1_000, ...rest } = options;
  return field(
    { type: lazily(type), isArray: true, minItems: min, maxItems: max },
    [
      LIST_OF_OBJECTS,
      {
        issue: EdgeIssues.invalidLength,
        message: `must have ${min} to ${max} items`,
        passes: (value) => Array.isArray(value) && value.length >= min && value.length <= max,
      },
    ],
    rest,
    { isList: true, type },
  );
}

/** An object whose keys are not fixed. Only for responses. */
export function OpenObject(options: FieldOptions = {}): PropertyDecorator {
  return field({ type: 'object', additionalProperties: true }, [], options);
}

/** A list of objects whose keys are not fixed. Only for responses. */
export function OpenList(options: FieldOptions = {}): PropertyDecorator {
  return field({ type: 'array', items: { type: 'object', additionalProperties: true } }, [], options);
}
