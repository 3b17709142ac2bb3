import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type as ClassType } from 'class-transformer';
import { ValidateBy, type ValidateByOptions, ValidateIf, ValidateNested } from 'class-validator';
import { EdgeIssues, FORM_ISSUES, type Issue, issueCodeOf, type IssueRow } from '../errors/index.ts';
import { type Convert, declareConversion, declareField, type FieldFacts } from './field-table.ts';

/**
 * One decorator per field validates requests, converts query text and writes the OpenAPI schema, so that the three
 * cannot disagree. On response classes only the schema matters.
 */
export interface FieldOptions {
  readonly description?: string;
  readonly example?: unknown;
  /**
   * May be absent; null then counts as absent, except in a `@PartialUpdate()`, which refuses null unless `nullable`.
   */
  readonly optional?: boolean;
  readonly nullable?: boolean;
  /** Refuses null although the field may be absent, where a null is probably a value that the caller lost. */
  readonly refusesNull?: boolean;
  /** The value when absent, for the documents; the class initialises the property to it. */
  readonly default?: unknown;
  /**
   * Kinds of its object (by the field `kind`) that have this field; others lack it, so it is optional. The document
   * splits the class by kind; the class's own code checks the kind of a request.
   */
  readonly kinds?: readonly string[];
  /** Whether objects of those kinds may lack it too. */
  readonly mayLack?: boolean;
}

/** One thing that a value has to be; its row and message make the issue when it is not. */
export interface Check {
  readonly issue: IssueRow;
  readonly message: string | ((value: unknown) => string);
  passes(value: unknown): boolean;
}

/** Describes a field whose values are objects of classes with fields. */
export interface Parts {
  readonly isList: boolean;
  /** The class, where it does not depend on the value. */
  readonly type?: () => Type;
}

/**
 * The decorator that all fields are made with. Declares the field in our own table, by which requests are read, and to
 * class-validator and class-transformer, which describe what is wrong with the few that are refused.
 */
export function field(
  schema: ApiPropertyOptions,
  checks: readonly Check[],
  options: FieldOptions,
  parts?: Parts,
): PropertyDecorator {
  const { kinds, mayLack, nullable, refusesNull, default: fallback, optional = kinds && true, ...shown } = options;
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
      ...shown,
      ...marksOf(checks, kinds, mayLack),
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

/** What the document's own passes read of a field and leave out of the document. */
function marksOf(checks: readonly Check[], kinds?: readonly string[], mayLack?: boolean): object {
  const issues = checks.map(({ issue }) => issue).filter((issue) => !FORM_ISSUES.includes(issue));
  return {
    ...(kinds ? { 'x-kinds': kinds } : {}),
    ...(mayLack ? { 'x-may-lack': true } : {}),
    ...(issues.length > 0 ? { 'x-issues': issues } : {}),
  };
}

/** Converts the value of a field before it is checked; of several conversions the last one applied runs first. */
export function Converted(convert: Convert): PropertyDecorator {
  return (target, name) => {
    declareConversion(target, String(name), convert);
    Transform(({ value, options }) => convert(value, options))(target, name);
  };
}

/** Converts text; leaves all else to the checks. */
export function ConvertedText(convert: (text: string) => string | undefined): PropertyDecorator {
  return Converted((value) => (isText(value) ? convert(value) : value));
}

/** The name under which class-validator reports a failed check; its message is code and text. */
export const FIELD_CHECK = 'field';
const SEPARATOR = ': ';

/**
 * Makes one constraint of all checks of a field. The first that fails becomes the issue, so a check may rely on those
 * before it.
 */
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

/** The issue of a failed check. */
export function failedCheck(path: string, told: string): Issue {
  const end = told.indexOf(SEPARATOR);
  return { path, code: issueCodeOf(told.slice(0, end)), message: told.slice(end + SEPARATOR.length) };
}

/**
 * Checks a list of objects. Refuses lists inside it, because class-validator would check their items as if they were
 * items of the outer list.
 */
export const LIST_OF_OBJECTS: Check = {
  issue: EdgeIssues.wrongType,
  message: 'must be an array of objects',
  passes: (value) => Array.isArray(value) && !value.some(Array.isArray),
};

/** Narrows a sent value to text. */
export const isText = (value: unknown): value is string => typeof value === 'string';

/** Where a value was sent: query and path hold only text, so "5" there may be a number; in a body it may not. */
export const BODY_SOURCE = {} as const;
export const TEXT_SOURCE = { fromText: true } as const;

export function isTextSource(source: unknown): boolean {
  return (source as Partial<typeof TEXT_SOURCE>).fromText === true;
}

/** Converts query text that matches `form`; leaves all else to the checks. */
export function fromText<T>(form: RegExp, convert: (text: string) => T): Convert {
  return (value, source) => (isTextSource(source) && isText(value) && form.test(value) ? convert(value) : value);
}
