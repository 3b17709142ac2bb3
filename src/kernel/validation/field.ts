import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import type { TransformFnParams } from 'class-transformer';
import type { Issue } from '../errors/index.ts';
import { ValidateBy, type ValidateByOptions, ValidateIf } from 'class-validator';

/**
 * One decorator a field: it validates requests, converts query text and writes the OpenAPI schema, so that the three
 * cannot disagree. On response classes only the schema matters.
 */
export interface FieldOptions {
  readonly description?: string;
  readonly example?: unknown;
  /** May be left out; null is then the same, except in a `@PartialUpdate()`, which refuses it unless `nullable`. */
  readonly optional?: boolean;
  readonly nullable?: boolean;
  /** Null is refused although it may be left out: where it looks like a value that got lost. */
  readonly refusesNull?: boolean;
  /** What holds without it, for the documents; the class initialises the property to it. */
  readonly default?: unknown;
}

/** One thing that a value has to be; its code and message make the issue when it is not. */
export interface Check {
  readonly code: string;
  readonly message: string | ((value: unknown) => string);
  passes(value: unknown): boolean;
}

/** What conversion has to know of a field before it looks at a value. */
export interface FieldFacts {
  /** A null is the same as no value. */
  readonly nullIsAbsent: boolean;
  /** Of a list. */
  readonly maxItems: number | undefined;
}

const FACTS = Symbol('field');

/** The facts of a field; undefined for a property that `field` did not make. */
export function factsOf(shape: Type, property: string): FieldFacts | undefined {
  return Reflect.getMetadata(FACTS, shape.prototype as object, property) as FieldFacts | undefined;
}

/** The decorator that all fields are made with. */
export function field(schema: ApiPropertyOptions, checks: readonly Check[], options: FieldOptions): PropertyDecorator {
  const { optional, nullable, refusesNull, default: fallback, ...documentation } = options;
  const facts: FieldFacts = {
    nullIsAbsent: optional === true && nullable !== true && refusesNull !== true,
    maxItems: 'maxItems' in schema ? schema.maxItems : undefined,
  };
  return applyDecorators(
    Reflect.metadata(FACTS, facts),
    ApiProperty({
      ...schema,
      ...documentation,
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(nullable ? { nullable: true } : {}),
      required: !optional,
    } as ApiPropertyOptions),
    ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null)),
    ...(checks.length > 0 ? [ValidateBy(firstOf(checks))] : []),
  );
}

/** Under this name class-validator tells of a failed check; its message is code and text. */
export const FIELD_CHECK = 'field';
const SEPARATOR = ': ';

/** One constraint for all checks of a field: the first that fails is the issue, so each is written as "and". */
function firstOf(checks: readonly Check[]): ValidateByOptions {
  return {
    name: FIELD_CHECK,
    validator: {
      validate(value) {
        for (const check of checks) if (!check.passes(value)) return false;
        return true;
      },
      defaultMessage: (argument) => {
        const { code, message } = checks.find((check) => !check.passes(argument?.value))!;
        return code + SEPARATOR + (typeof message === 'string' ? message : message(argument?.value));
      },
    },
  };
}

/** The issue that a failed check told of. */
export function failedCheck(path: string, told: string): Issue {
  const end = told.indexOf(SEPARATOR);
  return { path, code: told.slice(0, end), message: told.slice(end + SEPARATOR.length) };
}

/** Of a list of objects: class-validator looks into lists within lists as if their items stood there themselves. */
export const LIST_OF_OBJECTS: Check = {
  code: 'wrong_type',
  message: 'must be an array of objects',
  passes: (value) => Array.isArray(value) && !value.some(Array.isArray),
};

/** Narrows what came to text. */
export const isText = (value: unknown): value is string => typeof value === 'string';

/** Where a value comes from: query and path arrive as text, bodies do not, and a body's "5" is no 5. */
export const BODY_SOURCE = {} as const;
export const TEXT_SOURCE = { fromText: true } as const;

export function isTextSource(source: unknown): boolean {
  return (source as Partial<typeof TEXT_SOURCE>).fromText === true;
}

/** Converts query text of a form; everything else is left to the checks. */
export function fromText<T>(form: RegExp, convert: (text: string) => T) {
  return ({ value, options }: TransformFnParams): unknown =>
    isTextSource(options) && isText(value) && form.test(value) ? convert(value) : (value as unknown);
}
