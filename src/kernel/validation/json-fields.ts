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
