import { setTimeout as wait } from 'node:timers/promises';

/** Scrapes within this time show the same, so that any number of scrapers costs one look. */
const FRESH_MS = 10_000;
/** A scrape waits this long; scrapers give up after 10 s by default. */
const LIMIT_MS = 2_000;

/** What was last found at a scrape; undefined where it failed or took too long. */
export class LookUp<T> {
  found: T | undefined;
  private foundAtMs = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;

  constructor(find: () => Promise<T>) {
    this.find = find;
  }

  private readonly find: () => Promise<T>;

  /** Looks again where the last look is too old; joins one that is under way. */
  async refresh(): Promise<void> {
    if (performance.now() - this.foundAtMs < FRESH_MS) return;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    await this.looking;
  }

  private async look(): Promise<void> {
    this.found = await Promise.race([this.find(), tooLate()]).catch(() => undefined);
    this.foundAtMs = performance.now();
  }
}

async function tooLate(): Promise<never> {
  await wait(LIMIT_MS, undefined, { ref: false });
  throw new Error('It took too long.');
}
