import { applyDecorators } from '@nestjs/common';
import { ConvertedText, Formatted, isUuid } from '../../kernel/validation/index.ts';
import { TaskIssues } from './task.errors.ts';

/** A task by its id or by its identifier within the organization. */
export type ParsedTaskRef =
  { readonly id: string } | { readonly identifier: string; readonly scope: string; readonly number: number };

const IDENTIFIER = /^([A-Z]{3})-([1-9]\d{0,9})$/;
const MAX_NUMBER = 2 ** 31 - 1;

/** Reads a reference in either form, case-insensitively; undefined for what is none. */
export function parseTaskRef(text: string): ParsedTaskRef | undefined {
  if (isUuid(text)) return { id: text.toLowerCase() };
  const identifier = text.toUpperCase();
  const [, scope, digits] = IDENTIFIER.exec(identifier) ?? [];
  const number = Number(digits);
  return scope === undefined || number > MAX_NUMBER ? undefined : { identifier, scope, number };
}

/** A reference to a task: its UUID, or its identifier such as `ENG-7` in any case. Arrives in one spelling. */
export function TaskRef(options: Parameters<typeof Formatted>[0] extends infer T ? Partial<T> : never = {}) {
  return applyDecorators(
    ConvertedText(spelled),
    Formatted({
      description: 'The id of a task, or its identifier such as `ENG-7`',
      example: 'ENG-7',
      ...options,
      test: (text) => parseTaskRef(text) !== undefined,
      issue: TaskIssues.invalidTaskRef,
      what: 'a UUID or an identifier such as ENG-7',
      max: 36,
    }),
  );
}

function spelled(text: string): string {
  const ref = parseTaskRef(text);
  if (!ref) return text;
  return 'id' in ref ? ref.id : ref.identifier;
}
