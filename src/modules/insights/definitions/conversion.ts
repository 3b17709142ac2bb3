import { type Day, plusDays } from './calendar.ts';
import { Exact } from './decimals.ts';
import { type Fraction, multiplied } from './formula.ts';

/** What one euro is on the last day of a period that has a rate; for orientation, not for transactions. */
export const CONVERSION_POLICY = 'period_end_reference_v1';

/** The currency that all rates are units of, one of it is always one. */
const BASE = 'EUR';
/** A rate that is older says nothing of the day: the longest time without one, around Easter, is five days. */
const MOST_DAYS_BACK = 7;

/** Rates of one day. */
export interface RateDay {
  readonly day: Day;
  /** Units of each currency for one euro, as text. */
  readonly rates: ReadonlyMap<string, string>;
}

/** A rate that was used. */
export interface UsedRate {
  readonly rate: string;
  readonly date: Day;
  readonly provider: 'ecb';
  readonly originalCurrency: string;
}

export interface Conversion {
  readonly value: Fraction;
  readonly rates: readonly UsedRate[];
  /** Whether the day that was used is the newest there is, so that it may still be revised, or a later one come. */
  readonly provisional: boolean;
}

/** Stored rates, looked up by the latest day that has both legs. */
export class RateBook {
  private readonly days: readonly RateDay[];
  /** Days that were looked up, by the currencies and the last day. */
  private readonly found = new Map<string, RateDay | undefined>();

  constructor(
    days: readonly RateDay[],
    /** The latest day that is stored at all; of those given unless said. */
    private readonly newest = days
      .map(({ day }) => day)
      .toSorted()
      .at(-1) ?? '',
  ) {
    this.days = days.toSorted((one, other) => (one.day < other.day ? 1 : -1));
  }

  /** Converts what is due at the end of a day; undefined where no rate of the week before it has both currencies. */
  convert(value: Fraction, from: string, to: string, lastDay: Day): Conversion | undefined {
    if (from === to) return { value, rates: [], provisional: false };
    const found = this.dayFor(from, to, lastDay);
    if (!found) return undefined;
    const legs = [from, to].filter((currency) => currency !== BASE);
    return {
      value: multiplied(value, { over: new Exact(rateOf(found, to)), under: new Exact(rateOf(found, from)) }),
      rates: legs.map((currency) => ({
        rate: rateOf(found, currency),
        date: found.day,
        provider: 'ecb',
        originalCurrency: currency,
      })),
      provisional: found.day >= this.newest,
    };
  }

  private dayFor(from: string, to: string, lastDay: Day): RateDay | undefined {
    const key = `${from} ${to} ${lastDay}`;
    if (!this.found.has(key)) {
      const earliest = plusDays(lastDay, -MOST_DAYS_BACK);
      const fits = ({ day, rates }: RateDay) => day <= lastDay && day >= earliest && has(rates, from) && has(rates, to);
      this.found.set(key, this.days.find(fits));
    }
    return this.found.get(key);
  }
}

function has(rates: ReadonlyMap<string, string>, currency: string): boolean {
  return currency === BASE || rates.has(currency);
}

function rateOf({ rates }: RateDay, currency: string): string {
  return currency === BASE ? '1' : rates.get(currency)!;
}
