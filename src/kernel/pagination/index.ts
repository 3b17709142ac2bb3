/**
 * Guarantees: a page costs the same at any depth, its cursor works when its row is gone, and an altered cursor is refused.
 * Refuses: OFFSET, counts, and lists without a unique order.
 */
export { type CursorCodec, opaqueCursor, uuidCursor } from './cursor.ts';
export { Filters } from './filters.ts';
export { KeysetList, type ListSpec, Page, type SortKey } from './keyset.ts';
export { PageQuery, WindowedPageQuery } from './page-query.ts';
