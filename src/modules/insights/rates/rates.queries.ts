import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { GivenRate } from './rates-file.ts';

/** Rates of one statement. */
export const RATES_AT_ONCE = 5_000;

/** Whether this is the replica that fetches rates now; until the end of the transaction. */
export function tryToFetch(): Statement<{
  readonly isOurs: boolean;
  readonly newest: string | null;
  readonly now: string;
}> {
  return sql`
    select pg_try_advisory_xact_lock(hashtext('exchange rates')) as "isOurs",
      (select max(r.day) from fx_rate r) as newest,
      to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS') as now`;
}

/** Stores rates that are new, or other than what is stored of their day. */
export function storeRates(rates: readonly GivenRate[]): Statement<{ readonly day: string }> {
  return sql`
    insert into fx_rate (day, currency, revision, rate, fetched_at)
    select g.day, g.currency, coalesce(known.revision, 0) + 1, g.rate, clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(rates)}::jsonb) as g(day text, currency text, rate numeric)
    left join lateral (
      select r.revision, r.rate from fx_rate r
      where r.day = g.day and r.currency = g.currency order by r.revision desc limit 1) known on true
    where known.rate is distinct from g.rate
    on conflict (day, currency, revision) do nothing
    returning day`;
}
