import { canonicalDigest } from '../crypto/index.ts';
import { type ApiError, EdgeIssues, invalid } from '../errors/index.ts';
import { isUuid } from '../validation/index.ts';

/** The sort values of one row. */
export type Position = readonly string[];

/** How a list encodes positions for its callers. */
export interface CursorCodec {
  encode(position: Position): string;
  /** Throws 400 `invalid_cursor` for a cursor that this list did not make. */
  decode(cursor: string): Position;
}

/** Makes a 400 `invalid_cursor`. */
export function invalidCursor(message: string): ApiError {
  return invalid('cursor', EdgeIssues.invalidCursor, message);
}

/** The plain form: the id of the last row. */
export const uuidCursor: CursorCodec = {
  encode: ([id]) => id!,
  decode(cursor) {
    if (!isUuid(cursor)) throw invalidCursor('must be a UUID');
    return [cursor.toLowerCase()];
  },
};

const VERSION = 1;

/**
 * An opaque cursor, bound to one list with its filters; refused when altered or used with others. A plain digest is
 * enough, because it protects no secret.
 */
export function opaqueCursor(list: string, filters: unknown): CursorCodec {
  const seal = (position: Position) => canonicalDigest([list, filters ?? null, position]).slice(0, 16);
  return {
    encode: (position) => Buffer.from(JSON.stringify([VERSION, seal(position), ...position])).toString('base64url'),
    decode: (cursor) => {
      const [version, sealed, ...position] = parse(cursor);
      if (version !== VERSION || !position.every((value): value is string => typeof value === 'string'))
        throw invalidCursor('is not a cursor of this list; use nextCursor of a page');
      if (sealed !== seal(position))
        throw invalidCursor('belongs to another list or to other filters; start without a cursor');
      return position;
    },
  };
}

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Answered as below.
  }
  throw invalidCursor('is not a cursor of this list; use nextCursor of a page');
}
