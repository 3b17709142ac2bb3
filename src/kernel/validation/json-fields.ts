import { EdgeIssues } from '../errors/index.ts';
import { field, type FieldOptions } from './field.ts';

interface JsonOptions extends FieldOptions {
  /** Most bytes of its JSON in UTF-8. */
  readonly maxBytes: number;
  /** The union of kinds that the document shows for it, by its name; any object unless said. */
  readonly shownAs?: string;
}

/** An object of a request whose keys are not fixed. Its texts were checked when the body was parsed. */
export function JsonObject({ maxBytes, shownAs, ...options }: JsonOptions): PropertyDecorator {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return field(
    shownAs === undefined
      ? { type: 'object', additionalProperties: true }
      : { allOf: [{ $ref: `#/components/schemas/${shownAs}` }] },
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
