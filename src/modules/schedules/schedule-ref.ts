import { applyDecorators } from '@nestjs/common';
import { ConvertedText, Formatted, isSlug, isUuid } from '../../kernel/validation/index.ts';
import { ScheduleIssues } from './schedule.errors.ts';

/** A reference to a schedule: its UUID or its key. No key looks like a UUID. */
export function ScheduleRef(): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => (isUuid(text) ? text.toLowerCase() : text)),
    Formatted({
      test: (text) => isUuid(text) || isSlug(text),
      issue: ScheduleIssues.invalidReference,
      what: 'the id of a schedule, or its key',
      max: 100,
      example: 'weekly-growth-report',
      description: 'The id of a schedule, or its key such as `weekly-growth-report`',
    }),
  );
}
