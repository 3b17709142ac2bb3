import { EdgeIssues } from '../errors/index.ts';
import { applyDecorators } from '@nestjs/common';
import { ConvertedText, type FieldOptions } from './field.ts';
import { Formatted } from './text-fields.ts';

/** A SHA-256 in hexadecimal, read in either case and kept in lower case. */
export function Sha256(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => text.toLowerCase()),
    Formatted({
      test: (text) => /^[0-9a-f]{64}$/.test(text),
      issue: EdgeIssues.invalidDigest,
      what: '64 hexadecimal characters',
      max: 64,
      pattern: '^[0-9a-fA-F]{64}$',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      ...options,
    }),
  );
}
