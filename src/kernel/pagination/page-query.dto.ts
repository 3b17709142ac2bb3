import { applyDecorators } from '@nestjs/common';
import { Converted, ConvertedText, Integer, normalizeName, OneOf, Text, Timestamp, Uuid } from '../validation/index.ts';

/** Treats an empty parameter as absent, because forms and generated clients send empty ones. */
function EmptyIsNone(): PropertyDecorator {
  return Converted((value) => (value === '' ? undefined : value));
}

/** A cursor that only its list can read. */
export function OpaqueCursor(): PropertyDecorator {
  return applyDecorators(
    EmptyIsNone(),
    Text({ max: 2_000, optional: true, description: 'Where to continue: `nextCursor` of the previous page' }),
  );
}

/** A cursor that is the id of the last row of the previous page. */
export function UuidCursor(): PropertyDecorator {
  return applyDecorators(
    EmptyIsNone(),
    Uuid({ optional: true, description: 'Where to continue: the id of the last row of the previous page' }),
  );
}

const LONGEST_SEARCH = 200;

/**
 * The text that a list is searched for, normalised as names are (NFC, single spaces), so that a cursor fits every form
 * of one text. Blank text counts as absent, unless the list has an answer of its own to it.
 */
export function SearchText(description: string, { mayBeBlank = false } = {}): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => normalizeName(text, LONGEST_SEARCH) || (mayBeBlank ? '' : undefined)),
    Text({ min: mayBeBlank ? 0 : 1, max: LONGEST_SEARCH, optional: true, description }),
  );
}

/** Query parameters of every list. */
export class PageQuery {
  /** Each list declares its own form: `@OpaqueCursor()` or `@UuidCursor()`. */
  cursor?: string;

  @Integer({ min: 1, max: 200, optional: true, default: 50, description: 'Most rows of a page' })
  limit = 50;

  @OneOf(['asc', 'desc'], { optional: true, default: 'desc', description: 'Newest (`desc`) or oldest (`asc`) first' })
  order: 'asc' | 'desc' = 'desc';
}

/** Parameters of lists that can be limited to a window of creation or update. Bounds are exclusive. */
export class WindowedPageQuery extends PageQuery {
  @Timestamp({ optional: true, description: 'Only rows created after this' })
  createdAfter?: string;

  @Timestamp({ optional: true, description: 'Only rows created before this' })
  createdBefore?: string;

  @Timestamp({
    optional: true,
    description:
      'Only rows updated after this. Pages are in order of creation, so this alone may read the whole history: combine it with another filter or a window of creation',
  })
  updatedAfter?: string;

  @Timestamp({
    optional: true,
    description:
      'Only rows updated before this. Pages are in order of creation, so this alone may read the whole history: combine it with another filter or a window of creation',
  })
  updatedBefore?: string;
}
