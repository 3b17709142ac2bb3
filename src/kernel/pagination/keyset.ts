import { type Statement, Values } from '../database/index.ts';
import type { Pagination } from '../http/index.ts';
import { isStorable, isTimestamp, isUuid } from '../validation/index.ts';
import { type CursorCodec, invalidCursor, type Position } from './cursor.ts';
import type { PageQuery } from './page-query.ts';

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

/** One sort column: its SQL, its PostgreSQL type, and the row's value of it. */
export interface SortKey<Row> {
  readonly sql: string;
  readonly type: 'uuid' | 'timestamptz' | 'text' | 'integer';
  of(row: Row): string;
}

export interface ListSpec<Row> {
  /** Select list, as `columns()` writes it. */
  readonly select: string;
  readonly from: string;
  /** Conditions joined by `and`; placeholders from `values`. */
  readonly where: readonly string[];
  readonly values: Values;
  /** Together unique; an index must repeat them exactly. */
  readonly sortBy: readonly SortKey<Row>[];
  readonly cursor: CursorCodec;
}

/**
 * The two statements of a keyset page: the page with one row beyond it, and (behind the first page) the position before
 * the page before. A page costs the same at any depth: row comparison on the sort columns, no OFFSET, no count.
 */
export class KeysetList<Row> {
  private readonly limit: number;
  private readonly order: 'asc' | 'desc';
  private readonly given: string | undefined;
  private readonly position: Position | undefined;

  constructor(
    private readonly spec: ListSpec<Row>,
    { cursor, limit, order }: PageQuery,
  ) {
    this.limit = limit;
    this.order = order;
    this.given = cursor;
    this.position = cursor === undefined ? undefined : positionOf(cursor, spec);
  }

  /** The page; then, where there is a cursor, the positions up to and including it, backwards. */
  statements(): Statement[] {
    const { select, sortBy } = this.spec;
    const forward = this.statement(select, this.order, this.order === 'desc' ? '<' : '>');
    if (!this.position) return [forward];
    const keys = sortBy.map(({ sql }, index) => `${sql} as "${index}"`).join(', ');
    const backward = this.order === 'desc' ? 'asc' : 'desc';
    return [forward, this.statement(keys, backward, backward === 'desc' ? '<=' : '>=')];
  }

  result([rows = [], before = []]: readonly unknown[][]): Page<Row> {
    const { cursor, sortBy } = this.spec;
    const items = rows.slice(0, this.limit) as Row[];
    const hasNextPage = rows.length > this.limit;
    const last = hasNextPage ? items.at(-1) : undefined;
    // The page before ends with the row of our cursor; it starts after the row that stands a whole page further back.
    const start = before[this.limit] as Record<string, unknown> | undefined;
    return new Page(items, {
      cursor: this.given ?? null,
      limit: this.limit,
      nextCursor: last ? cursor.encode(sortBy.map((key) => key.of(last))) : null,
      previousCursor: start ? cursor.encode(sortBy.map((_, index) => String(start[index]))) : null,
      hasNextPage,
      hasPreviousPage: before.length > 0,
    });
  }

  private statement(select: string, order: 'asc' | 'desc', comparison: string): Statement {
    const { from, where, values, sortBy } = this.spec;
    const all = new Values();
    all.list.push(...values.list);
    const conditions = [...where];
    if (this.position) {
      const position = sortBy.map(({ type }, index) => `${all.add(this.position![index])}::${type}`);
      conditions.push(`(${sortBy.map(({ sql }) => sql).join(', ')}) ${comparison} (${position.join(', ')})`);
    }
    const text = [
      `select ${select} from ${from}`,
      conditions.length > 0 ? `where ${conditions.join(' and ')}` : '',
      `order by ${sortBy.map(({ sql }) => `${sql} ${order}`).join(', ')}`,
      `limit ${all.add(this.limit + 1)}`,
    ];
    return { text: text.join(' '), values: all.list };
  }
}

/** A seal is no signature: what a cursor holds is checked like any other input. */
function positionOf<Row>(cursor: string, { cursor: codec, sortBy }: ListSpec<Row>): Position {
  const position = codec.decode(cursor);
  if (position.length !== sortBy.length || !sortBy.every(({ type }, index) => FORMS[type](position[index]!)))
    throw invalidCursor('is not a cursor of this list');
  return position;
}

const FORMS = {
  uuid: isUuid,
  timestamptz: isTimestamp,
  text: isStorable,
  integer: (text: string) => /^\d{1,9}$/.test(text),
};
