import { EdgeIssues } from '../errors/index.ts';
import { field, type FieldOptions } from './field.ts';
import { codePoints, isStorable } from './text.ts';

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

interface TextListsOptions extends FieldOptions {
  /** Most keys. */
  readonly maxKeys: number;
  /** Most texts of a key; at least one. */
  readonly max: number;
  /** Most characters of a text. */
  readonly maxLength: number;
}

/** An object whose keys are not fixed, each with a list of distinct texts. */
export function TextLists({ maxKeys, max, maxLength, ...options }: TextListsOptions): PropertyDecorator {
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const isItem = (item: unknown) =>
    typeof item === 'string' && isStorable(item) && codePoints(item) >= 1 && codePoints(item) <= maxLength;
  const isList = (value: unknown) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= max &&
    value.every(isItem) &&
    new Set(value).size === value.length;
  const items = { type: 'string', minLength: 1, maxLength };
  return field(
    {
      type: 'object',
      maxProperties: maxKeys,
      additionalProperties: { type: 'array', items, minItems: 1, maxItems: max, uniqueItems: true },
    },
    [
      { issue: EdgeIssues.wrongType, message: 'must be an object', passes: isObject },
      {
        issue: EdgeIssues.invalidLength,
        message: `must have at most ${maxKeys} keys`,
        passes: (value) => isObject(value) && Object.keys(value).length <= maxKeys,
      },
      {
        issue: EdgeIssues.invalidItem,
        message: `must have lists of 1 to ${max} distinct texts of 1 to ${maxLength} characters`,
        passes: (value) => isObject(value) && Object.values(value).every(isList),
      },
    ],
    options,
  );
}
