import { type Sql, sql, type Statement } from '../database/index.ts';
import { isStorable, isTimestamp, isUuid } from '../validation/index.ts';
import { type CursorCodec, invalidCursor, type Position } from './cursor.ts';
import { bytesOf, PAGE_BYTES, type Wide } from './page-bytes.ts';
import { Page } from './page.ts';
import type { PageQuery } from './page-query.dto.ts';
import { merged, type Walk } from './walk.ts';

/** One sort column: its SQL, its PostgreSQL type, and its value in a row. */
export interface SortKey<Row> {
  readonly sql: string;
  readonly type: 'uuid' | 'timestamptz' | 'text' | 'integer';
  of(row: Row): string;
  /** SQL that finds the value if the cursor does not hold it, from the values that it holds. */
  readonly found?: (given: readonly Sql[]) => Sql;
}

export interface ListSpec<Row> {
  /** Select list, as `columns()` writes it. */
  readonly select: Sql;
  /** The table whose rows are listed, with its alias. */
  readonly from: string;
  /** Joins that add exactly one row to each. */
  readonly join?: string;
  /** Conditions joined by `and`; a string has no values. With walks, only on the listed table. */
  readonly where: readonly (Sql | string)[];
  /** Unique together; an index must have exactly these keys. */
  readonly sortBy: readonly SortKey<Row>[];
  readonly cursor: CursorCodec;
  /** JSON and text columns that may be large; pages are bounded by their bytes. */
  readonly wide?: readonly Wide[];
  /** How rows are found if a filter has several values. */
  readonly walks?: readonly Walk[];
}

type Direction = 'asc' | 'desc';
/** Column of each row that tells whether the page ends before its limit. */
const CUT = 'isCut';

/**
 * The two statements of a keyset page: the page, and (after the first page) the positions before it. A page costs the
 * same at any depth, because it compares rows by the sort columns, without OFFSET or count. If rows may be wide, it
 * ends early by their size, before it reads or sends further rows.
 */
export class KeysetList<Row> {
  private readonly limit: number;
  private readonly order: Direction;
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

  /** The page and, if there is a cursor, the positions up to and including it, backwards. */
  statements(): Statement[] {
    const page = this.page();
    return this.position ? [page, this.positionsBefore()] : [page];
  }

  result([rows = [], before = []]: readonly unknown[][]): Page<Row> {
    const { cursor, sortBy } = this.spec;
    const isCut = (rows[0] as { [CUT]?: boolean } | undefined)?.[CUT] ?? false;
    const items = rows.slice(0, this.limit) as Row[];
    if (this.spec.wide) for (const item of items) delete (item as { [CUT]?: boolean })[CUT];
    const hasNextPage = isCut || rows.length > this.limit;
    const last = hasNextPage ? items.at(-1) : undefined;
    // The page before ends with the row of our cursor; it starts after the row one whole page further back.
    const start = before[this.spec.wide ? 1 : this.limit] as Record<string, unknown> | undefined;
    const pagination = {
      cursor: this.given ?? null,
      limit: this.limit,
      nextCursor: last ? cursor.encode(sortBy.map((key) => key.of(last))) : null,
      previousCursor: start ? cursor.encode(sortBy.map((_, index) => String(start[index]))) : null,
      hasNextPage,
      hasPreviousPage: before.length > 0,
    };
    return new Page(items, pagination, isCut);
  }

  private page(): Statement {
    const { select, wide } = this.spec;
    const { rows, from, order, limit } = this.asked(this.order, this.order === 'desc' ? '<' : '>');
    if (!wide) return sql`select ${select} from ${from} order by ${order} limit ${limit}`;
    return sql`with cut as materialized (${this.sized(rows, order, this.order, limit)}
          select place - 1 as rows from sized where ${TOO_MUCH} limit 1)
        select ${select}, exists (select from cut) as "${sql.raw(CUT)}" from ${from}
        order by ${order} limit coalesce((select rows from cut), ${limit})`;
  }

  /** Reads all positions of a page; if it may end by its size, only the first and the one after its end. */
  private positionsBefore(): Statement {
    const { sortBy, wide } = this.spec;
    const backward = this.order === 'desc' ? 'asc' : 'desc';
    const { rows, order, limit } = this.asked(backward, backward === 'desc' ? '<=' : '>=');
    if (!wide) {
      const keys = sortBy.map(({ sql: key }, index) => `${key} as "${index}"`);
      return sql`select ${listed(keys)} from ${rows} order by ${order} limit ${limit}`;
    }
    const keys = listed(sortBy.map((_, index) => `"${index}"`));
    return sql`${this.sized(rows, order, backward, limit)}
      select ${keys} from sized where place = 1 or place = ${limit} or ${TOO_MUCH} limit 2`;
  }

  /** Rows with their place and what they hold up to there; wide values are read one by one, only as far as the page needs. */
  private sized(rows: Sql, order: Sql, direction: Direction, limit: Sql): Sql {
    const { sortBy, wide = [] } = this.spec;
    const keys = sortBy.map(({ sql: key }, index) => `${key} as "${index}"`);
    const positions = sortBy.map((_, index) => `"${index}" ${direction}`);
    const parts = wide.map((each, index) => `${typeof each === 'string' ? each : each.bytes} as "wide${index}"`);
    const bytes = wide.map((each, index) => (typeof each === 'string' ? bytesOf(`"wide${index}"`) : `"wide${index}"`));
    return sql`with sized as not materialized (
      select *, row_number() over page as place, sum(${sql.raw(bytes.join(' + '))}) over page as upto
      from (select ${listed([...keys, ...parts])} from ${rows} order by ${order} limit ${limit}) asked
      window page as (order by ${listed(positions)} rows unbounded preceding))`;
  }

  /** The rows from our position on, and the same rows with their joins; asks for one more than a page. */
  private asked(direction: Direction, comparison: '<' | '<=' | '>' | '>=') {
    const { from, join = '', where, sortBy, walks } = this.spec;
    // Shared, because they are used once to find the rows and once to read them.
    const conditions = where.map((each) => (typeof each === 'string' ? sql.raw(each) : sql.shared(each)));
    if (this.position) {
      const given = sortBy.map(({ type }, index) => sql`${sql.value(this.position![index]!)}::${sql.raw(type)}`);
      const position = sortBy.map(({ found }, index) => (found ? sql.shared(found(given)) : given[index]!));
      const keys = listed(sortBy.map(({ sql: key }) => key));
      conditions.push(sql`(${keys}) ${sql.raw(comparison)} (${sql.join(position, ', ')})`);
    }
    const order = listed(sortBy.map(({ sql: key }) => `${key} ${direction}`));
    const limit = sql.value(this.limit + 1);
    const rows = walks ? this.walked(walks, conditions, order, limit) : filtered(sql.raw(from), conditions);
    const joined = walks ? sql`${rows} ${sql.raw(join)}` : filtered(sql.raw(`${from} ${join}`), conditions);
    return { order, limit, rows, from: joined };
  }

  private walked(walks: readonly Walk[], where: readonly Sql[], order: Sql, limit: Sql): Sql {
    const [table, alias] = this.spec.from.split(' ') as [string, string];
    return merged(walks, { table, alias, where, order, limit });
  }
}

function listed(parts: readonly string[]): Sql {
  return sql.raw(parts.join(', '));
}

function filtered(from: Sql, conditions: readonly Sql[]): Sql {
  return conditions.length > 0 ? sql`${from} where ${sql.join(conditions, ' and ')}` : from;
}

/** True at the first row that does not fit into a page; one row always fits. */
const TOO_MUCH = sql.raw(`(place > 1 and upto > ${PAGE_BYTES})`);

/** Checks the values of a cursor like any other input, because its digest is not a signature. */
function positionOf<Row>(cursor: string, { cursor: codec, sortBy }: ListSpec<Row>): Position {
  const position = codec.decode(cursor);
  if (position.length !== sortBy.length || !sortBy.every(({ type }, index) => FORMS[type](position[index]!)))
    throw invalidCursor('is not a cursor of this list; use nextCursor of a page');
  return position;
}

const FORMS = {
  uuid: isUuid,
  timestamptz: isTimestamp,
  text: isStorable,
  integer: (text: string) => /^\d{1,9}$/.test(text),
};
