import { applyDecorators } from '@nestjs/common';
import { Converted, ConvertedText, Integer, normalizeName, OneOf, Text, Timestamp, Uuid } from '../validation/index.ts';

/** Takes an empty parameter for none: forms and generated clients send what was left empty. */
function EmptyIsNone(): PropertyDecorator {
  return Converted((value) => (value === '' ? undefined : value));
}

/** A cursor that only its list can read. */
export function OpaqueCursor(): PropertyDecorator {
  return applyDecorators(
    EmptyIsNone(),
    Text({ max: 2_000, optional: true, description: 'Continues from here: `nextCursor` of the page before' }),
  );
}

/** The id of the last row of the page before. */
export function UuidCursor(): PropertyDecorator {
  return applyDecorators(
    EmptyIsNone(),
    Uuid({ optional: true, description: 'Continues from here: the id of the last row of the page before' }),
  );
}

const LONGEST_SEARCH = 200;

/**
 * What a list is searched for: composed and with single spaces, as names are kept, so that a cursor goes with every form of
 * one text. Blanks alone are none.
 */
export function SearchText(description: string): PropertyDecorator {
  return applyDecorators(
    ConvertedText((text) => normalizeName(text, LONGEST_SEARCH) || undefined),
    Text({ max: LONGEST_SEARCH, optional: true, description }),
  );
}

/** Query parameters of every list. */
export class PageQuery {
  /** Declared by each list in its own form: `@OpaqueCursor()` or `@UuidCursor()`. */
  cursor?: string;

  @Integer({ min: 1, max: 200, optional: true, default: 50, description: 'Rows a page' })
  limit = 50;

  @OneOf(['asc', 'desc'], { optional: true, default: 'desc', description: 'Newest (`desc`) or oldest first' })
  order: 'asc' | 'desc' = 'desc';
}

/** Lists whose rows are created and updated can be cut to a window of either. Bounds are exclusive. */
export class WindowedPageQuery extends PageQuery {
  @Timestamp({ optional: true, description: 'Only rows created after this' })
  createdAfter?: string;

  @Timestamp({ optional: true, description: 'Only rows created before this' })
  createdBefore?: string;

  @Timestamp({
    optional: true,
    description:
      'Only rows updated after this. Pages come by creation, which no index of updates helps: alone it may read the whole history, so name another filter or a window of creation with it',
  })
  updatedAfter?: string;

  @Timestamp({
    optional: true,
    description:
      'Only rows updated before this. Pages come by creation, which no index of updates helps: alone it may read the whole history, so name another filter or a window of creation with it',
  })
  updatedBefore?: string;
}
