/** Random decisions that are the same for the same seed. */
export class Random {
  private state: number;

  constructor(seed: string | number) {
    // FNV-1a: neighbouring seeds, such as those of worker 1 and 2, start far apart.
    this.state = [...String(seed)].reduce(
      (hash, letter) => Math.imul(hash ^ letter.codePointAt(0)!, 0x01_00_01_93),
      0x81_1c_9d_c5,
    );
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!;
  }

  /** Picks one of the names with the probability of its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) if ((left -= weight) < 0) return name;
    return entries.at(-1)![0];
  }

  shuffled<T>(items: readonly T[]): T[] {
    const places = items.map((item) => ({ item, place: this.next() }));
    return places.toSorted((a, b) => a.place - b.place).map(({ item }) => item);
  }

  /** Time to the next of independent events with this mean. */
  gap(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }
}
