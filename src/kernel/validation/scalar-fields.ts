import { EdgeIssues } from '../errors/index.ts';
import { applyDecorators } from '@nestjs/common';
import { Converted, field, type FieldOptions, fromText } from './field.ts';

interface IntegerOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number from `min` (0) to `max` (2^53 − 1); in a query its decimal digits. */
export function Integer({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  ...options
}: IntegerOptions = {}): PropertyDecorator {
  const fits = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  return applyDecorators(
    Converted(fromText(/^-?\d{1,16}$/, Number)),
    field(
      { type: 'integer', minimum: min, maximum: max },
      [
        { issue: EdgeIssues.wrongType, message: 'must be an integer', passes: Number.isInteger },
        { issue: EdgeIssues.outOfRange, message: `must be from ${min} to ${max}`, passes: fits },
      ],
      options,
    ),
  );
}

/** A boolean; in a query the word `true` or `false`. */
export function Flag(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    Converted(fromText(/^(true|false)$/, (text) => text === 'true')),
    field(
      { type: 'boolean' },
      [
        {
          issue: EdgeIssues.wrongType,
          message: 'must be true or false',
          passes: (value) => typeof value === 'boolean',
        },
      ],
      options,
    ),
  );
}
