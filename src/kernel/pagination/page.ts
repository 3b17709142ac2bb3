import type { Pagination } from '../http/index.ts';

/** One page of rows and where it stands. */
export class Page<T> {
  constructor(
    readonly items: readonly T[],
    readonly pagination: Pagination,
  ) {}

  map<U>(convert: (item: T) => U): Page<U> {
    return new Page(this.items.map(convert), this.pagination);
  }
}
