import { EdgeIssues, type IssueRow } from '../errors/index.ts';
import { applyDecorators } from '@nestjs/common';
import { type Check, ConvertedText, field, type FieldOptions, isText } from './field.ts';
import {
  codePoints,
  escapeReordering,
  hasControls,
  isSlug,
  isStorable,
  isTimestamp,
  isUuid,
  isVisible,
  normalizeInstant,
  normalizeName,
} from './text.ts';

const TEXT: Check = { issue: EdgeIssues.wrongType, message: 'must be a string', passes: isText };
const STORABLE: Check = {
  issue: EdgeIssues.invalidText,
  message: 'must not contain NUL or lone surrogates',
  passes: (value) => isText(value) && isStorable(value),
};

function format(issue: IssueRow, message: Check['message'], test: (text: string) => boolean): Check {
  return { issue, message, passes: (value) => isText(value) && test(value) };
}

interface TextOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
  /** Whether it must contain a visible character, for text that people read. */
  readonly visible?: boolean;
  /** Whether a person decides by it, perhaps at a terminal: without control characters, but with tabs and newlines. */
  readonly decidedBy?: boolean;
}

const VISIBLE = format(EdgeIssues.blank, 'must contain a visible character', isVisible);
const NO_CONTROLS = format(
  EdgeIssues.invalidText,
  'must not contain control characters other than tabs and newlines',
  (text) => !hasControls(text),
);

/** Text of `min` (1) to `max` Unicode code points. */
export function Text({
  min = 1,
  max,
  visible = false,
  decidedBy = false,
  ...options
}: TextOptions = {}): PropertyDecorator {
  const bounds = max === undefined ? `at least ${min}` : `${min} to ${max}`;
  return field(
    { type: 'string', minLength: min, ...(max === undefined ? {} : { maxLength: max }) },
    [
      TEXT,
      STORABLE,
      format(EdgeIssues.invalidLength, `must have ${bounds} characters`, (text) => {
        const length = codePoints(text);
        return length >= min && (max === undefined || length <= max);
      }),
      ...(visible ? [VISIBLE] : []),
      ...(decidedBy ? [NO_CONTROLS] : []),
    ],
    options,
  );
}

interface FormatOptions extends FieldOptions {
  readonly test: (text: string) => boolean;
  /** The finding about what is none. */
  readonly issue: IssueRow;
  /** Completes "must be …"; may depend on the refused text. */
  readonly what: string | ((text: string) => string);
  readonly max?: number;
  readonly pattern?: string;
}

/** Text that a function accepts. */
export function Formatted({ test, issue, what, max = 2_000, pattern, ...options }: FormatOptions): PropertyDecorator {
  return field(
    { type: 'string', maxLength: max, ...(pattern ? { pattern } : {}) },
    [
      TEXT,
      STORABLE,
      format(
        issue,
        typeof what === 'string' ? `must be ${what}` : (value) => `must be ${what(String(value))}`,
        (text) => codePoints(text) <= max && test(text),
      ),
    ],
    options,
  );
}

/**
 * A name for people: 1 to `max` (200) characters, trimmed and not blank, white space collapsed, Unicode NFC. Of one that a
 * person decides by, characters that reorder others are escaped.
 */
export function Name({ max = 200, ...options }: Omit<TextOptions, 'min' | 'visible'> = {}): PropertyDecorator {
  const shown = options.decidedBy ? escapeReordering : (text: string) => text;
  return applyDecorators(
    ConvertedText((text) => shown(normalizeName(text, max))),
    Text({ ...options, max, visible: true }),
  );
}

/** Lowercase alphanumeric segments joined by single hyphens, at most 100 characters. */
export function Slug(options: FieldOptions = {}): PropertyDecorator {
  const what = 'lowercase letters and digits in segments joined by single hyphens, at most 100 characters, not a UUID';
  return Formatted({
    ...options,
    test: isSlug,
    issue: EdgeIssues.invalidSlug,
    what,
    max: 100,
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  });
}

/** A UUID of any version, lower-cased. */
export function Uuid(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => text.toLowerCase()),
    field(
      { type: 'string', format: 'uuid' },
      [TEXT, format(EdgeIssues.invalidUuid, 'must be a UUID', isUuid)],
      options,
    ),
  );
}

/** An instant of RFC 3339 with any number of fraction digits; six are kept. */
export function Timestamp(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ConvertedText(normalizeInstant),
    field(
      { type: 'string', format: 'date-time' },
      [
        TEXT,
        format(
          EdgeIssues.invalidTimestamp,
          'must be a date-time of RFC 3339 with a zone, e.g. 2026-03-01T09:30:00Z',
          isTimestamp,
        ),
      ],
      options,
    ),
  );
}

/** One of a fixed set of words. */
export function OneOf(values: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  const what = values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
  return field(
    { type: 'string', enum: [...values] },
    [TEXT, format(EdgeIssues.unknownValue, what, (text) => values.includes(text))],
    options,
  );
}
