import { Injectable } from '@nestjs/common';
import { type Sql, sql, type Statement } from '../sql/index.ts';
import { Transactions } from './transactions.ts';
import type { Execute } from './tx.ts';

const MONTHS_AHEAD = 3;
const REMOVED_ROWS_LIMIT = 5_000;

interface PartitionedTable {
  readonly table: string;
  /** The timestamp column of its range partitions. */
  readonly column: string;
  readonly retentionMonths: number;
}

/**
 * Monthly partitions of append-only tables, named `<table>_<yyyy>_<mm>`: made three months ahead, dropped after their
 * retention. Rows written while their month had no partition are in the default one and are moved later.
 */
@Injectable()
export class MonthlyPartitions {
  constructor(private readonly transactions: Transactions) {}

  async keep({ table, column, retentionMonths }: PartitionedTable, signal: AbortSignal): Promise<void> {
    const now = await this.transactions.owner(currentMonth);
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1)
      await this.transactions.owner((execute) => ensure(execute, table, column, now.add({ months: ahead })));
    const oldest = now.subtract({ months: retentionMonths });
    await this.transactions.owner((execute) => dropBefore(execute, table, oldest));
    let removed: unknown[];
    do {
      removed = await this.transactions.owner((execute) => execute(removeBefore(table, column, oldest)));
    } while (removed.length === REMOVED_ROWS_LIMIT && !signal.aborted);
  }
}

/** Uses the database's clock, because a process with a wrong date would drop partitions that others still write. */
async function currentMonth(execute: Execute): Promise<Temporal.PlainYearMonth> {
  const [now] = await execute<{ month: string }>(
    sql`select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM') as month`,
  );
  return Temporal.PlainYearMonth.from(now!.month);
}

function nameOf(table: string, month: Temporal.PlainYearMonth): string {
  return `${table}_${month.toString().replace('-', '_')}`;
}

function startOf(month: Temporal.PlainYearMonth): string {
  return `${month.toString()}-01T00:00:00Z`;
}

/** A table or column of the code's, quoted. */
function quoted(name: string): Sql {
  return sql.raw(`"${name}"`);
}

async function partitionsOf(execute: Execute, table: string): Promise<string[]> {
  const rows = await execute<{ name: string }>(sql`
    select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass`);
  return rows.map(({ name }) => name);
}

/** Makes the month's partition if it is missing; of several replicas one makes it and the others find it. */
async function ensure(execute: Execute, table: string, column: string, month: Temporal.PlainYearMonth): Promise<void> {
  await execute(sql`select pg_advisory_xact_lock(hashtext(${`partitions:${table}`}))`);
  const name = nameOf(table, month);
  if ((await partitionsOf(execute, table)).includes(name)) return;
  const [from, to] = [startOf(month), startOf(month.add({ months: 1 }))];
  const [whole, rest, part, at] = [table, `${table}_default`, name, column].map(quoted) as [Sql, Sql, Sql, Sql];
  // Blocks writers for a moment, so that none puts a row of the month into the default partition meanwhile.
  await execute(sql`lock table ${rest} in share row exclusive mode`);
  await execute(sql`create table ${part} (like ${whole} including all)`);
  await execute(sql`
    with moved as (delete from ${rest} where ${at} >= ${from} and ${at} < ${to} returning *)
    insert into ${part} select * from moved`);
  const bounds = sql.raw(`from ('${from}') to ('${to}')`);
  await execute(sql`alter table ${whole} attach partition ${part} for values ${bounds}`);
}

async function dropBefore(execute: Execute, table: string, oldest: Temporal.PlainYearMonth): Promise<void> {
  for (const name of await partitionsOf(execute, table))
    if (/_\d{4}_\d{2}$/.test(name) && name < nameOf(table, oldest))
      await execute(sql`drop table if exists ${quoted(name)}`);
}

/** By `ctid`, since any table may be partitioned, whatever its key; a distributed engine keeps partitions by itself. */
function removeBefore(table: string, column: string, oldest: Temporal.PlainYearMonth): Statement {
  const rest = quoted(`${table}_default`);
  return sql`
    delete from ${rest} where ctid in (
      select ctid from ${rest} where ${quoted(column)} < ${startOf(oldest)} limit ${REMOVED_ROWS_LIMIT})
    returning 1`;
}
