import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, type TransformFnParams, Type as ClassType } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';
import { codePoints, isSlug, isStorable, isTimestamp, isUuid, normalizeName } from './text.ts';

/**
 * One decorator a field: it validates requests, converts query text and writes the OpenAPI schema, so that the three
 * cannot disagree. On response classes only the schema matters.
 */
export interface FieldOptions {
  readonly description?: string;
  readonly example?: unknown;
  /** May be left out. Null is refused all the same unless `nullable`. */
  readonly optional?: boolean;
  readonly nullable?: boolean;
  /** What holds without it, for the documents; the class initialises the property to it. */
  readonly default?: unknown;
}

interface Check {
  readonly code: string;
  readonly message: string | ((value: unknown) => string);
  passes(value: unknown): boolean;
}

function field(schema: ApiPropertyOptions, checks: readonly Check[], options: FieldOptions): PropertyDecorator {
  const { optional, nullable, default: fallback, ...documentation } = options;
  return applyDecorators(
    ApiProperty({
      ...schema,
      ...documentation,
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(nullable ? { nullable: true } : {}),
      required: !optional,
    } as ApiPropertyOptions),
    ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null)),
    // Checks of one field stop at the first that fails: each is written as "and", so one issue says it.
    ...checks.map((check, index) =>
      ValidateBy({
        name: check.code,
        validator: {
          validate: (value) => checks.slice(0, index).some((earlier) => !earlier.passes(value)) || check.passes(value),
          defaultMessage: (argument) =>
            typeof check.message === 'string' ? check.message : check.message(argument?.value),
        },
      }),
    ),
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const TEXT: Check = { code: 'wrong_type', message: 'must be a string', passes: isText };
const STORABLE: Check = {
  code: 'invalid_text',
  message: 'must not hold NUL or lone surrogates',
  passes: (value) => isText(value) && isStorable(value),
};

function format(code: string, message: string, test: (text: string) => boolean): Check {
  return { code, message, passes: (value) => isText(value) && test(value) };
}

interface TextOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

/** Text of `min` (1) to `max` Unicode code points. */
export function Text({ min = 1, max, ...options }: TextOptions = {}): PropertyDecorator {
  const bounds = max === undefined ? `at least ${min}` : `${min} to ${max}`;
  return field(
    { type: 'string', minLength: min, ...(max === undefined ? {} : { maxLength: max }) },
    [
      TEXT,
      STORABLE,
      format('invalid_length', `must have ${bounds} characters`, (text) => {
        const length = codePoints(text);
        return length >= min && (max === undefined || length <= max);
      }),
    ],
    options,
  );
}

interface FormatOptions extends FieldOptions {
  readonly test: (text: string) => boolean;
  readonly code: string;
  /** Completes "must be …". */
  readonly what: string;
  readonly max?: number;
  readonly pattern?: string;
}

/** Text of a form that a function decides. */
export function Formatted({ test, code, what, max = 2_000, pattern, ...options }: FormatOptions): PropertyDecorator {
  return field(
    { type: 'string', maxLength: max, ...(pattern ? { pattern } : {}) },
    [TEXT, STORABLE, format(code, `must be ${what}`, (text) => codePoints(text) <= max && test(text))],
    options,
  );
}

/** What people call a thing: 1 to `max` (200) characters, trimmed and not blank, white space collapsed, Unicode NFC. */
export function Name({ max = 200, ...options }: { readonly max?: number } & FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (isText(value) ? normalizeName(value) : (value as unknown))),
    Text({ ...options, max }),
  );
}

/** Lowercase alphanumeric segments joined by single hyphens, at most 100 characters. */
export function Slug(options: FieldOptions = {}): PropertyDecorator {
  const what = 'lowercase letters and digits in segments joined by single hyphens, at most 100 characters, and no UUID';
  return Formatted({
    ...options,
    test: isSlug,
    code: 'invalid_slug',
    what,
    max: 100,
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  });
}

/** A UUID of any version, lower-cased. */
export function Uuid(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (isText(value) ? value.toLowerCase() : (value as unknown))),
    field({ type: 'string', format: 'uuid' }, [TEXT, format('invalid_uuid', 'must be a UUID', isUuid)], options),
  );
}

/** ISO 8601 date-time with a zone, at most microseconds; kept as the text that came. */
export function Timestamp(options: FieldOptions = {}): PropertyDecorator {
  return field(
    { type: 'string', format: 'date-time' },
    [
      TEXT,
      format('invalid_timestamp', 'must be an ISO 8601 date-time with a zone, e.g. 2026-03-01T09:30:00Z', isTimestamp),
    ],
    options,
  );
}

/** One of a fixed set of words. */
export function OneOf(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return field(
    { type: 'string', enum: [...values] },
    [TEXT, format('unknown_value', `must be one of ${values.join(', ')}`, (text) => values.includes(text))],
    options,
  );
}

interface IntegerOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number from `min` (0) to `max` (2^53 − 1); in a query its decimal digits. */
export function Integer({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  ...options
}: IntegerOptions = {}): PropertyDecorator {
  const fits = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  return applyDecorators(
    Transform(fromText(/^-?\d{1,16}$/, Number)),
    field(
      { type: 'integer', minimum: min, maximum: max },
      [
        { code: 'wrong_type', message: 'must be an integer', passes: Number.isInteger },
        { code: 'out_of_range', message: `must be from ${min} to ${max}`, passes: fits },
      ],
      options,
    ),
  );
}

/** True or false; in a query the words. */
export function Flag(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Transform(fromText(/^(true|false)$/, (text) => text === 'true')),
    field(
      { type: 'boolean' },
      [{ code: 'wrong_type', message: 'must be true or false', passes: (value) => typeof value === 'boolean' }],
      options,
    ),
  );
}

interface ListOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
  /** Schema and test of one item; text of at most 200 characters unless said. */
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

/** A list of distinct strings; in a query a repeatable parameter. */
export function TextList({ min = 0, max = 100, items = SHORT_TEXT, ...options }: ListOptions = {}): PropertyDecorator {
  const isList = (value: unknown): value is unknown[] => Array.isArray(value);
  const isBad = (item: unknown) => !(isText(item) && items.test(item));
  return applyDecorators(
    Transform(({ value, options: source }: TransformFnParams) =>
      isTextSource(source) && isText(value) ? [value] : (value as unknown),
    ),
    field(
      { type: 'array', items: items.schema, minItems: min, maxItems: max, uniqueItems: true },
      [
        { code: 'wrong_type', message: 'must be an array', passes: isList },
        {
          code: 'invalid_length',
          message: `must have ${min} to ${max} items`,
          passes: (value) => isList(value) && value.length >= min && value.length <= max,
        },
        {
          code: 'invalid_item',
          message: (value) => `item ${(value as unknown[]).findIndex(isBad) + 1} must be ${items.what}`,
          passes: (value) => isList(value) && !value.some(isBad),
        },
        {
          code: 'duplicate_item',
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

/** Swagger resolves a type later only when it comes in a function that is itself called `type`. */
function lazily(of: () => Type): () => Type {
  const { type } = { type: () => of() };
  return type;
}

/** Another class as a part of this one. */
export function Nested(type: () => Type, options: FieldOptions = {}): PropertyDecorator {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return applyDecorators(
    field({ type: lazily(type) }, [{ code: 'wrong_type', message: 'must be an object', passes: isObject }], options),
    // class-transformer would walk into an array or wrap a scalar; only objects become the class.
    ValidateNested(),
    ClassType(type),
  );
}

/** A list of objects of another class. */
export function NestedList(
  type: () => Type,
  options: FieldOptions & { min?: number; max?: number } = {},
): PropertyDecorator {
  const { min = 0, max = 1_000, ...rest } = options;
  return applyDecorators(
    field(
      { type: lazily(type), isArray: true, minItems: min, maxItems: max },
      [
        { code: 'wrong_type', message: 'must be an array', passes: Array.isArray },
        {
          code: 'invalid_length',
          message: `must have ${min} to ${max} items`,
          passes: (value) => Array.isArray(value) && value.length >= min && value.length <= max,
        },
      ],
      rest,
    ),
    ValidateNested({ each: true }),
    ClassType(type),
  );
}

/** An object whose keys are not fixed. Only for responses. */
export function OpenObject(options: FieldOptions = {}): PropertyDecorator {
  return field({ type: 'object', additionalProperties: true }, [], options);
}

/** Marks a conversion from text: query and path arrive as text, bodies do not, and a body's "5" is no 5. */
export const TEXT_SOURCE = { fromText: true } as const;

function isTextSource(source: unknown): boolean {
  return (source as Partial<typeof TEXT_SOURCE>).fromText === true;
}

function fromText<T>(form: RegExp, convert: (text: string) => T) {
  return ({ value, options }: TransformFnParams): unknown =>
    isTextSource(options) && isText(value) && form.test(value) ? convert(value) : (value as unknown);
}
