import type { Pagination } from '../http/index.ts';

/** One page of rows and its place in the list. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    readonly pagination: Pagination,
    /** Whether the page ended by its size; serialising it takes so long that other requests should run in between. */
    readonly isLarge = false,
  ) {}

  map<U>(convert: (item: T) => U): Page<U> {
    return new Page(this.items.map(convert), this.pagination, this.isLarge);
  }
}
