import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { Day } from '../definitions/index.ts';

/** Units of a currency for one euro on a day. */
export interface GivenRate {
  readonly day: Day;
  readonly currency: string;
  /** A decimal as the file has it. */
  readonly rate: string;
}

const ENVELOPE = 'http://www.gesmes.org/xml/2002-08-01';
const RATES = 'http://www.ecb.int/vocabulary/2002-08-01/eurofxref';
/** A file of days without it is none of rates. */
const ALWAYS = 'USD';
const RATE = /^[0-9]{1,12}(?:\.[0-9]{1,12})?$/;

/** That a file is not what it should be; nothing of it is taken. */
export class UnusableRates extends Error {
  constructor(why: string) {
    super(`The file of exchange rates ${why}.`);
    this.name = 'UnusableRates';
  }
}

/**
 * Reads a file of reference rates as it comes, and holds of it only rates from a day on. What it read counts once the document
 * has ended well: one that is cut, has a document type, or is something else altogether, as a page that says that the service
 * is away, is refused.
 */
export class RatesFile {
  private readonly parser = new SaxesParser({ xmlns: true });
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private readonly rates: GivenRate[] = [];
  private readonly withAlways = new Set<Day>();
  private readonly days = new Set<Day>();
  private day: Day | undefined;
  private depth = 0;
  private fault: UnusableRates | undefined;

  constructor(private readonly keptFrom: Day) {
    this.parser.on('doctype', () => this.refuse('has a document type'));
    this.parser.on('error', () => this.refuse('is not well formed'));
    this.parser.on('opentag', (tag) => this.open(tag));
    this.parser.on('closetag', () => (this.depth -= 1));
  }

  write(bytes: Uint8Array): void {
    this.parse(() => this.parser.write(this.decoder.decode(bytes, { stream: true })));
  }

  /** All rates, the days as the file has them. */
  end(): readonly GivenRate[] {
    this.parse(() => this.parser.write(this.decoder.decode()).close());
    if (this.days.size === 0) throw new UnusableRates('has no day');
    return this.rates.filter(({ day }) => this.withAlways.has(day));
  }

  private parse(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw this.fault ?? (error instanceof UnusableRates ? error : new UnusableRates('cannot be read'));
    }
    if (this.fault) throw this.fault;
  }

  private refuse(why: string): void {
    this.fault ??= new UnusableRates(why);
  }

  private open({ local, uri, attributes }: SaxesTagNS): void {
    this.depth += 1;
    if (this.depth === 1 && (local !== 'Envelope' || uri !== ENVELOPE)) this.refuse('has another root');
    if (local !== 'Cube' || uri !== RATES) return;
    const { time, currency, rate } = attributes;
    if (time) this.day = isDay(time.value) ? time.value : undefined;
    if (this.day === undefined || !currency || !rate) return;
    this.days.add(this.day);
    if (!/^[A-Z]{3}$/.test(currency.value) || !RATE.test(rate.value) || Number(rate.value) === 0) return;
    if (currency.value === ALWAYS) this.withAlways.add(this.day);
    if (this.day >= this.keptFrom) this.rates.push({ day: this.day, currency: currency.value, rate: rate.value });
  }
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}
