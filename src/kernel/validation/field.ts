import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type as ClassType } from 'class-transformer';
import { ValidateBy, type ValidateByOptions, ValidateIf, ValidateNested } from 'class-validator';
import { EdgeIssues, type Issue, issueCodeOf, type IssueRow } from '../errors/index.ts';
import { type Convert, declareConversion, declareField, type FieldFacts } from './field-table.ts';

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

/** One thing that a value has to be; its row and message make the issue when it is not. */
export interface Check {
  readonly issue: IssueRow;
  readonly message: string | ((value: unknown) => string);
  passes(value: unknown): boolean;
}

/** What a field holds that is of classes with fields of their own. */
export interface Parts {
  readonly isList: boolean;
  /** Their class, where it does not depend on the value. */
  readonly type?: () => Type;
}

/**
 * The decorator that all fields are made with. It tells our own table, from which requests are read, and class-validator
 * and class-transformer, which find what is wrong with the few that are refused.
 */
export function field(
  schema: ApiPropertyOptions,
  checks: readonly Check[],
  options: FieldOptions,
  parts?: Parts,
): PropertyDecorator {
  const { optional, nullable, refusesNull, default: fallback, ...documentation } = options;
  const maxItems = 'maxItems' in schema ? schema.maxItems : undefined;
  const facts: FieldFacts = {
    isChecked: (value) => !(optional && value === undefined) && !(nullable && value === null),
    passes: (value) => {
      for (const check of checks) if (!check.passes(value)) return false;
      return true;
    },
    nests: parts !== undefined,
    type: parts?.type,
    nullIsAbsent: optional === true && nullable !== true && refusesNull !== true,
    maxItems: maxItems ?? (parts ? 0 : Infinity),
  };
  return applyDecorators(
    (target: object, name: string | symbol) => declareField(target, String(name), facts),
    ApiProperty({
      ...schema,
      ...documentation,
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(nullable ? { nullable: true } : {}),
      required: !optional,
    } as ApiPropertyOptions),
    ValidateIf((_, value) => facts.isChecked(value)),
    ...(checks.length > 0 ? [ValidateBy(firstOf(checks, facts))] : []),
    ...(parts ? [ValidateNested({ each: parts.isList })] : []),
    ...(parts?.type ? [ClassType(parts.type)] : []),
  );
}

/** Converts the value of a field before it is checked; of several the last that is applied goes first. */
export function Converted(convert: Convert): PropertyDecorator {
  return (target, name) => {
    declareConversion(target, String(name), convert);
    Transform(({ value, options }) => convert(value, options))(target, name);
  };
}

/** The same for text; everything else is left to the checks. */
export function ConvertedText(convert: (text: string) => string | undefined): PropertyDecorator {
  return Converted((value) => (isText(value) ? convert(value) : value));
}

/** Under this name class-validator tells of a failed check; its message is code and text. */
export const FIELD_CHECK = 'field';
const SEPARATOR = ': ';

/** One constraint for all checks of a field: the first that fails is the issue, so each is written as "and". */
function firstOf(checks: readonly Check[], { passes }: FieldFacts): ValidateByOptions {
  return {
    name: FIELD_CHECK,
    validator: {
      validate: passes,
      defaultMessage: (argument) => {
        const { issue, message } = checks.find((check) => !check.passes(argument?.value))!;
        return issue.code + SEPARATOR + (typeof message === 'string' ? message : message(argument?.value));
      },
    },
  };
}

/** The issue that a failed check told of. */
export function failedCheck(path: string, told: string): Issue {
  const end = told.indexOf(SEPARATOR);
  return { path, code: issueCodeOf(told.slice(0, end)), message: told.slice(end + SEPARATOR.length) };
}

/** Of a list of objects: class-validator looks into lists within lists as if their items stood there themselves. */
export const LIST_OF_OBJECTS: Check = {
  issue: EdgeIssues.wrongType,
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
export function fromText<T>(form: RegExp, convert: (text: string) => T): Convert {
  return (value, source) => (isTextSource(source) && isText(value) && form.test(value) ? convert(value) : value);
}
