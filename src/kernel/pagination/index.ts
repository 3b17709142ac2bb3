/**
 * Guarantees: a page costs the same at any depth, its cursor works after its row is deleted, and an altered cursor is
 * refused.
 * Refuses: OFFSET, counts, and lists without a unique order.
 */
export { type CursorCodec, invalidCursor, opaqueCursor, uuidCursor } from './cursor.ts';
export { Filters } from './filters.ts';
export { KeysetList, type SortKey } from './keyset.ts';
export { Page } from './page.ts';
export { OpaqueCursor, PageQuery, SearchText, UuidCursor, WindowedPageQuery } from './page-query.dto.ts';
export { atAnyTime, inOrder, type Walk } from './walk.ts';
