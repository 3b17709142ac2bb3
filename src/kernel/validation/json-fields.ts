import { EdgeIssues } from '../errors/index.ts';
import { field, type FieldOptions } from './field.ts';

interface JsonOptions extends FieldOptions {
  /** Most bytes of its JSON in UTF-8. */
  readonly maxBytes: number;
}

/** An object of a request whose keys are not fixed. Its texts were checked when the body was parsed. */
export function JsonObject({ maxBytes, ...options }: JsonOptions): PropertyDecorator {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return field(
    { type: 'object', additionalProperties: true },
    [
      { issue: EdgeIssues.wrongType, message: 'must be an object', passes: isObject },
      {
        issue: EdgeIssues.tooLarge,
        message: `must have at most ${maxBytes} bytes as JSON`,
        passes: (value) => Buffer.byteLength(JSON.stringify(value)) <= maxBytes,
      },
    ],
    options,
  );
}

interface JsonListOptions extends FieldOptions {
  readonly min?: number;
  readonly max: number;
}

/** A list of objects whose keys are not fixed. Only the body's own limit bounds their size. */
export function JsonObjects({ min = 0, max, ...options }: JsonListOptions): PropertyDecorator {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return field(
    { type: 'array', items: { type: 'object', additionalProperties: true }, minItems: min, maxItems: max },
    [
      {
        issue: EdgeIssues.wrongType,
        message: 'must be an array of objects',
        passes: (value) => Array.isArray(value) && value.every(isObject),
      },
      {
        issue: EdgeIssues.invalidLength,
        message: `must have ${min} to ${max} items`,
        passes: (value) => Array.isArray(value) && value.length >= min && value.length <= max,
      },
    ],
    options,
  );
}
