import { describe, expect, it } from '@jest/globals';
import { eventIdOf, parseEventId } from './activity-event-id.ts';
import { covers, type Placed, type Position, stepsFrom } from './activity-position.ts';
import { readPage } from './log-page.ts';

/** A generator of numbers that gives the same ones each time. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Entry extends Placed {
  /** When its transaction committed; never, if it was undone. */
  readonly committedAt: number | undefined;
}

const idOf = (number: number) => `0199c9a4-5b1e-7c3a-9f42-${number.toString(16).padStart(12, '0')}`;
const START: Position = { next: 1, open: [], begun: [], last: { writtenIn: 0, id: idOf(0) } };
const before = (one: Placed, other: Placed) => (one.at === other.at ? one.id < other.id : one.at < other.at);

/** Transactions that begin, write and commit in a random order; some are undone, some write much. */
function history(seed: number) {
  const random = numbersFrom(seed);
  const entries: Entry[] = [];
  const spans: { begunAt: number; committedAt: number | undefined; number: number; endedAt: number }[] = [];
  for (let number = 1; number <= 120; number += 1) {
    const begunAt = number;
    const endedAt = begunAt + 1 + random(random(4) === 0 ? 60 : 6);
    const committedAt = random(8) === 0 ? undefined : endedAt + random(100) / 1000;
    spans.push({ number, begunAt, endedAt, committedAt });
    const size = random(12) === 0 ? 12 : random(3);
    for (let nth = 0; nth < size; nth += 1)
      entries.push({
        id: idOf(entries.length + 1),
        writtenIn: number,
        at: String(begunAt + random(Math.max(1, endedAt - begunAt))).padStart(6, '0'),
        committedAt,
      });
  }
  return { entries, spans };
}

/** What the statements of the log find, in one history. */
class Log {
  time = 0;
  private readonly entries: readonly Entry[];
  private readonly spans: ReturnType<typeof history>['spans'];

  constructor(seed: number) {
    ({ entries: this.entries, spans: this.spans } = history(seed));
  }

  private get open(): number[] {
    const { time } = this;
    return this.spans.filter(({ begunAt, endedAt }) => begunAt <= time && endedAt > time).map(({ number }) => number);
  }

  get visible(): Entry[] {
    return this.entries.filter(({ writtenIn, committedAt }) => {
      const { endedAt } = this.spans[writtenIn - 1]!;
      return committedAt !== undefined && endedAt <= this.time;
    });
  }

  async after({ next, open }: Position, limit: number, until?: Position) {
    const rows = this.visible
      .filter(({ writtenIn }) => writtenIn >= next || open.includes(writtenIn))
      .filter(({ writtenIn }) => !until || (writtenIn < until.next && !until.open.includes(writtenIn)))
      .sort((one, other) => one.writtenIn - other.writtenIn || (before(one, other) ? -1 : 1))
      .slice(0, limit);
    return { rows, open: this.open };
  }

  async within({ begun, last }: Position, limit: number) {
    const seen = this.entries.find(({ id }) => id === last!.id)!;
    const rows = this.visible
      .filter((entry) => begun.includes(entry.writtenIn) && before(seen, entry))
      .sort((one, other) => (before(one, other) ? -1 : 1))
      .slice(0, limit);
    return { rows, open: this.open };
  }
}

describe('a reader of a log whose transactions commit out of order', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed + 1))(
    'gets each entry once, dropped after any event and read in pages of any size (%i)',
    async (seed) => {
      const log = new Log(seed);
      const random = numbersFrom(seed * 7_919);
      const got: string[] = [];
      let position = START;
      for (; log.time < 260; log.time += random(9)) {
        const { steps, end } = await readPage(log, position, 1 + random(30));
        // Sometimes the client is gone behind an event in the middle, and its next id is all that is left of it.
        const reached = random(2) === 0 ? steps.length : random(steps.length + 1);
        got.push(...steps.slice(0, reached).map(({ row }) => row.id));
        const at = reached === steps.length ? end : reached === 0 ? position : steps[reached - 1]!.position;
        const id = eventIdOf(at)!;
        expect(parseEventId(id)).toEqual(at);
        position = parseEventId(id)!;
      }
      for (let isWhole = false; !isWhole;) {
        const page = await readPage(log, position, 10);
        got.push(...page.steps.map(({ row }) => row.id));
        ({ end: position, isWhole } = page);
      }
      const all = log.visible.map(({ id }) => id);
      expect(all.length).toBeGreaterThan(60);
      expect(got.toSorted()).toEqual(all.toSorted());
    },
  );

  it.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
    'comes to exactly where another one is that reads live (%i)',
    async (seed) => {
      const log = new Log(seed);
      const random = numbersFrom(seed * 104_729);
      log.time = random(50);
      let position = (await readPage(log, START, 1_000)).end;
      log.time += 1 + random(60);
      const live = (await readPage(log, START, 1_000)).end;
      log.time = 130;
      const had = new Set((await log.after(START, 1_000, position)).rows.map(({ id }) => id));
      const got: string[] = [];
      expect(covers(live, position)).toBe(true);
      for (let isWhole = false; !isWhole;) {
        const next = await readPage(log, position, 1 + random(9), live);
        got.push(...next.steps.map(({ row }) => row.id));
        ({ end: position, isWhole } = next);
      }
      const wanted = (await log.after(START, 1_000, live)).rows.filter(({ id }) => !had.has(id));
      expect(got.toSorted()).toEqual(wanted.map(({ id }) => id).toSorted());
      expect(covers(position, live) && covers(live, position)).toBe(true);
    },
  );
});

describe('entries of transactions that overlap', () => {
  it('are told in the order of their times', () => {
    const rows = [
      { id: idOf(1), writtenIn: 5, at: '000009' },
      { id: idOf(2), writtenIn: 6, at: '000007' },
      { id: idOf(3), writtenIn: 6, at: '000010' },
    ];
    const steps = stepsFrom(START, rows, { open: [4, 9] });
    expect(steps.map(({ row }) => row.id)).toEqual([idOf(2), idOf(1), idOf(3)]);
    expect(steps.map(({ position }) => position)).toEqual([
      { next: 7, open: [4], begun: [5, 6], last: { writtenIn: 6, id: idOf(2) } },
      { next: 7, open: [4], begun: [6], last: { writtenIn: 5, id: idOf(1) } },
      { next: 7, open: [4], begun: [], last: { writtenIn: 6, id: idOf(3) } },
    ]);
  });
});

describe('an event id', () => {
  const position = {
    next: 17_592_186_099_999,
    open: [17_592_186_099_000, 17_592_186_099_998],
    begun: [17_592_186_099_997],
  };

  it('is the position as text', () => {
    const at = { ...position, last: { writtenIn: 17_592_186_099_998, id: idOf(1) } };
    expect(eventIdOf(at)).toBe(`${(17_592_186_099_999).toString(36)}.1.rr-1.2.${idOf(1)}`);
    expect(parseEventId(eventIdOf(at))).toEqual(at);
  });

  it.each([
    undefined,
    '',
    'x',
    idOf(1),
    `9.1.2..${idOf(1)}\n`,
    `9.1..${idOf(1)}`,
    `9.a...${idOf(1)}`,
    `9.0...${idOf(1)}`,
    `9.1.a..${idOf(1)}`,
    `9.1.2-..${idOf(1)}`,
    `zzzzzzzzzzz.1...${idOf(1)}`,
    `9.1...${idOf(1)}`.toUpperCase(),
    `9.1.${Array.from({ length: 2_001 }, () => '1').join('-')}..${idOf(1)}`,
  ])('is none of ours: %j', (text) => {
    expect(parseEventId(text)).toBeUndefined();
  });
});
