import { applyDecorators } from '@nestjs/common';
import { ConvertedText, type FieldOptions } from './field.ts';
import { Text } from './text-fields.ts';

/** Controls, line separators, and the signs that turn the direction of writing, so that `gpj.exe` can show as `exe.jpg`. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
/** Anything else than white space, format signs and fillers. */
const SEEN = /[^\p{White_Space}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The last segment of what may be a path of any system, without controls and signs of direction. Empty where nothing is
 * left that names a file: `..`, `/`, invisible characters only.
 */
export function baseNameOf(name: string): string {
  const segments = name
    .replaceAll(UNSEEN, '')
    .split(/[/\\]/)
    .map((segment) => segment.trim());
  const base = segments.findLast((segment) => segment !== '') ?? '';
  return base === '.' || base === '..' || !SEEN.test(base) ? '' : base;
}

/** The name of a file: one path segment of 1 to 255 characters. More than a name is reduced to it, not refused. */
export function FileName(options: FieldOptions = {}): PropertyDecorator {
  const description =
    'Kept is the last segment of a path, without control characters and signs that turn the direction of writing';
  return applyDecorators(ConvertedText(baseNameOf), Text({ description, ...options, max: 255 }));
}
