import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { EdgeIssues, invalid, type IssueRow } from '../../../kernel/errors/index.ts';
import { pathOf, requireFew } from './judged-value.ts';

const ROWS: Readonly<Record<string, IssueRow>> = {
  required: EdgeIssues.required,
  additionalProperties: EdgeIssues.unknownProperty,
  unevaluatedProperties: EdgeIssues.unknownProperty,
  type: EdgeIssues.wrongType,
  enum: EdgeIssues.unknownValue,
  const: EdgeIssues.unknownValue,
  minimum: EdgeIssues.outOfRange,
  maximum: EdgeIssues.outOfRange,
  exclusiveMinimum: EdgeIssues.outOfRange,
  exclusiveMaximum: EdgeIssues.outOfRange,
  minLength: EdgeIssues.invalidLength,
  maxLength: EdgeIssues.invalidLength,
  minItems: EdgeIssues.invalidLength,
  maxItems: EdgeIssues.invalidLength,
  minProperties: EdgeIssues.invalidLength,
  maxProperties: EdgeIssues.invalidLength,
  uniqueItems: EdgeIssues.duplicateItem,
  pattern: EdgeIssues.invalidText,
};

/** Compiles nothing that anybody else wrote: schemas of the release only. */
const compiler = new Ajv2020({ useDefaults: true, strict: true, allowUnionTypes: true });

/** A closed schema of the release; compiled with its first use. */
export class StrictSchema {
  private validate: ValidateFunction | undefined;

  constructor(private readonly schema: object) {}

  /** A copy of the value with its defaults; 400 at the first thing that the schema does not take. */
  checked<T>(value: unknown, path: string): T {
    requireFew(value, path);
    const copy = structuredClone(value);
    this.validate ??= compiler.compile(this.schema);
    if (this.validate(copy)) return copy as T;
    const [error] = this.validate.errors!;
    throw invalid(pathOf([path, ...stepsTo(error!)]), ROWS[error!.keyword] ?? EdgeIssues.wrongType, messageOf(error!));
  }
}

/** Of a pattern what it is, since the issue's own words are about characters that no text may have. */
function messageOf({ keyword, params }: ErrorObject): string | undefined {
  return keyword === 'pattern' ? `must match ${String((params as { readonly pattern?: unknown }).pattern)}` : undefined;
}

/** The steps to what is wrong: of a property that is missing or unknown, the property itself. */
function stepsTo({ instancePath, keyword, params }: ErrorObject): readonly string[] {
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const given = params as Readonly<Record<string, unknown>>;
  const last = keyword === 'required' ? given['missingProperty'] : given['additionalProperty'];
  return typeof last === 'string' ? [...steps, last] : steps;
}
