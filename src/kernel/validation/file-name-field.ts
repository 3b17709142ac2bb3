import { applyDecorators } from '@nestjs/common';
import { ConvertedText, type FieldOptions } from './field.ts';
import { Text } from './text-fields.ts';

/**
 * Control characters, line separators, and characters that reverse the writing direction, which can show `gpj.exe` as
 * `exe.jpg`.
 */
const UNSEEN = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
/** Any character but white space, format characters and fillers. */
const SEEN = /[^\p{White_Space}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The last segment of a path of any system, without control and direction characters. Empty where no file name remains:
 * `..`, `/`, only invisible characters.
 */
export function baseNameOf(name: string): string {
  const segments = name
    .replaceAll(UNSEEN, '')
    .split(/[/\\]/)
    .map((segment) => segment.trim());
  const base = segments.findLast((segment) => segment !== '') ?? '';
  return base === '.' || base === '..' || !SEEN.test(base) ? '' : base;
}

/** The name of a file: one path segment of 1 to 255 characters. A path is reduced to its last segment, not refused. */
export function FileName(options: FieldOptions = {}): PropertyDecorator {
  const description =
    'A path is reduced to its last segment; control characters and characters that reverse the writing direction are removed';
  return applyDecorators(ConvertedText(baseNameOf), Text({ description, ...options, max: 255 }));
}
