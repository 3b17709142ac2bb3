/**
 * Guarantees: what a handler receives has the declared shape; each finding in bad input is one issue with its dotted
 * path; lengths count Unicode code points.
 * Refuses: unknown properties, null where it is not declared, numbers as text in bodies, NUL and lone surrogates.
 */
export { ListOf, Nested, NestedList, OpenList, OpenObject, TextList } from './composite-fields.ts';
export { CutName, CutText, cutText } from './cut-fields.ts';
export { Sha256 } from './digest-field.ts';
export { Converted, ConvertedText, failedCheck, FIELD_CHECK, type FieldOptions } from './field.ts';
export { FileName } from './file-name-field.ts';
export { JsonObject, TextLists } from './json-fields.ts';
export { PartialUpdate } from './partial-update.ts';
export { Flag, Integer } from './scalar-fields.ts';
export {
  codePoints,
  escapeReordering,
  escapeUnseen,
  hasControls,
  isSlug,
  isStorable,
  isTimestamp,
  isUuid,
  normalizeName,
  storable,
} from './text.ts';
export { Formatted, Name, OneOf, Slug, Text, Timestamp, Uuid } from './text-fields.ts';
export { Variant, VariantList } from './variant-fields.ts';
export { validatedPart, ValidationPipe } from './validation.pipe.ts';
