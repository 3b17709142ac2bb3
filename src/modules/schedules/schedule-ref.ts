import { applyDecorators } from '@nestjs/common';
import { type Sql, sql } from '../../kernel/database/index.ts';
import { ConvertedText, Formatted, isSlug, isUuid } from '../../kernel/validation/index.ts';

/** A reference to a schedule: its UUID or its key. No key looks like a UUID. */
export function ScheduleRef(): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => (isUuid(text) ? text.toLowerCase() : text)),
    Formatted({
      test: (text) => isUuid(text) || isSlug(text),
      code: 'invalid_reference',
      what: 'the id of a schedule, or its key',
      max: 100,
      example: 'weekly-growth-report',
      description: 'The id of a schedule, or its key such as `weekly-growth-report`',
    }),
  );
}

/** The condition that a `schedule` aliased `s` is the one of a validated reference, and is not deleted. */
export function isSchedule(ref: string): Sql {
  const column = isUuid(ref) ? 'id' : 'key';
  return sql`s.${sql.raw(column)} = ${ref} and s.deleted_at is null`;
}
