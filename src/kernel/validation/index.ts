/**
 * Guarantees: what a handler receives has the declared shape, and each finding of a bad input is one issue with its
 * dotted path; lengths count Unicode code points.
 * Refuses: unknown properties, null where it is not declared, numbers as text in bodies, NUL and lone surrogates.
 */
export {
  Flag,
  Formatted,
  Integer,
  ListOf,
  Name,
  Nested,
  NestedList,
  OneOf,
  OpenObject,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from './fields.ts';
export { isSlug, isStorable, isTimestamp, isUuid } from './text.ts';
export { ValidationPipe } from './validation.pipe.ts';
