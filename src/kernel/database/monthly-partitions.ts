import { Injectable } from '@nestjs/common';
import { statement } from './statement.ts';
import { type Run, Transactions } from './transactions.ts';

const MONTHS_AHEAD = 3;

/** Monthly partitions of append-only tables: made three months ahead, dropped when they are past their retention. */
@Injectable()
export class MonthlyPartitions {
  constructor(private readonly transactions: Transactions) {}

  /** `table` is partitioned by range over a timestamp; its partitions are named `<table>_<yyyy>_<mm>`. */
  async keep(table: string, retentionMonths: number): Promise<void> {
    await this.transactions.owner(async (run) => {
      // One replica at a time; the others find everything done.
      await run(statement(`select pg_advisory_xact_lock(hashtext($1))`, `partitions:${table}`));
      const month = await currentMonth(run);
      const existing = await run<{ name: string }>(
        statement(
          `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = $1::regclass`,
          table,
        ),
      );
      const names = new Set(existing.map(({ name }) => name));
      for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) {
        const from = month.add({ months: ahead });
        if (!names.has(partitionName(table, from))) await run(statement(createPartition(table, from)));
      }
      const oldest = partitionName(table, month.subtract({ months: retentionMonths }));
      for (const name of names)
        if (/_\d{4}_\d{2}$/.test(name) && name < oldest) await run(statement(`drop table "${name}"`));
    });
  }
}

/** By the database's clock: a process with a wrong date would drop what others still write. */
async function currentMonth(run: Run): Promise<Temporal.PlainYearMonth> {
  const [now] = await run<{ month: string }>(
    statement(`select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM') as month`),
  );
  return Temporal.PlainYearMonth.from(now!.month);
}

function partitionName(table: string, month: Temporal.PlainYearMonth): string {
  return `${table}_${month.toString().replace('-', '_')}`;
}

function createPartition(table: string, month: Temporal.PlainYearMonth): string {
  const [from, to] = [month, month.add({ months: 1 })].map((each) => `${each.toString()}-01T00:00:00Z`);
  return `create table "${partitionName(table, month)}" partition of "${table}" for values from ('${from}') to ('${to}')`;
}
