import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { EdgeIssues, invalid, type IssueRow } from '../../../kernel/errors/index.ts';
import { rebuiltSchema, valuesIn } from './rebuilt-schema.ts';

/** Values in the arguments of a call. */
const MOST_VALUES = 5_000;
/** Compiled schemas that are kept, of the same definitions. */
const MOST_COMPILED = 500;

const compiled = new LRUCache<string, ValidateFunction>({ max: MOST_COMPILED });

const ISSUES: Readonly<Record<string, IssueRow>> = {
  type: EdgeIssues.wrongType,
  required: EdgeIssues.required,
  additionalProperties: EdgeIssues.unknownProperty,
  enum: EdgeIssues.unknownValue,
  const: EdgeIssues.unknownValue,
  minLength: EdgeIssues.invalidLength,
  maxLength: EdgeIssues.invalidLength,
  minItems: EdgeIssues.invalidLength,
  maxItems: EdgeIssues.invalidLength,
  minProperties: EdgeIssues.invalidLength,
  maxProperties: EdgeIssues.invalidLength,
  minimum: EdgeIssues.outOfRange,
  maximum: EdgeIssues.outOfRange,
  exclusiveMinimum: EdgeIssues.outOfRange,
  exclusiveMaximum: EdgeIssues.outOfRange,
  multipleOf: EdgeIssues.outOfRange,
};

/** Refuses arguments that a tool's schema does not take, with the issue at the first of them. */
export function checkArguments(tool: { readonly inputSchema: object; readonly definitionHash: string }, args: unknown) {
  if (isTooMuch(args)) throw invalid('arguments', EdgeIssues.tooManyValues, `has more than ${MOST_VALUES} values`);
  const validate = validatorOf(`${tool.definitionHash} input`, tool.inputSchema);
  if (validate(args)) return;
  const [error] = validate.errors!;
  throw invalid(pathOf(error!), ISSUES[error!.keyword] ?? EdgeIssues.wrongType);
}

/** Whether a result is what the tool's output schema describes, as far as the rebuilt one tells. */
export function fitsOutput(tool: { readonly outputSchema?: object; readonly definitionHash: string }, value: unknown) {
  if (tool.outputSchema === undefined || isTooMuch(value)) return true;
  return validatorOf(`${tool.definitionHash} output`, tool.outputSchema)(value);
}

function isTooMuch(value: unknown): boolean {
  return valuesIn(value, MOST_VALUES + 1) > MOST_VALUES;
}

function validatorOf(key: string, schema: object): ValidateFunction {
  const known = compiled.get(key);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, ownProperties: true, validateFormats: false, logger: false, meta: false });
  const validate = ajv.compile(rebuiltSchema(schema));
  compiled.set(key, validate);
  return validate;
}

/** Dotted, as in all issues; a missing or unknown property is named itself. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const named: unknown = params.missingProperty ?? params.additionalProperty;
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const path = ['arguments', ...steps, ...(typeof named === 'string' ? [named] : [])].join('.');
  return path.slice(0, 500);
}
