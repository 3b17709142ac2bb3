import { canonicalDigest } from '../crypto/index.ts';
import { type ApiError, EdgeIssues, invalid } from '../errors/index.ts';
import { isUuid } from '../validation/index.ts';

/** The sort values of one row. */
export type Position = readonly string[];

/** How a list writes positions for its callers. */
export interface CursorCodec {
  encode(position: Position): string;
  /** Throws 400 `invalid_cursor` for what this list did not write. */
  decode(cursor: string): Position;
}

/** 400: the cursor is none of this list. */
export function invalidCursor(message: string): ApiError {
  return invalid('cursor', EdgeIssues.invalidCursor, message);
}

/** The spec's plain form: the id of the last row. */
export const uuidCursor: CursorCodec = {
  encode: ([id]) => id!,
  decode(cursor) {
    if (!isUuid(cursor)) throw invalidCursor('must be a UUID');
    return [cursor.toLowerCase()];
  },
};

const VERSION = 1;

/**
 * An opaque cursor, bound to one list with its filters: altered, or used with others, it is refused. It is no secret, so
 * a plain digest binds it.
 */
export function opaqueCursor(list: string, filters: unknown): CursorCodec {
  const seal = (position: Position) => canonicalDigest([list, filters ?? null, position]).slice(0, 16);
  return {
    encode: (position) => Buffer.from(JSON.stringify([VERSION, seal(position), ...position])).toString('base64url'),
    decode: (cursor) => {
      const [version, sealed, ...position] = parse(cursor);
      if (version !== VERSION || !position.every((value): value is string => typeof value === 'string'))
        throw invalidCursor('is not a cursor of this list');
      if (sealed !== seal(position)) throw invalidCursor('belongs to another list or to other filters');
      return position;
    },
  };
}

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Falls through to the same answer.
  }
  throw invalidCursor('is not a cursor of this list');
}
