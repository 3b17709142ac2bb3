import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { canonicalText } from '../../../kernel/crypto/index.ts';
import {
  type Day,
  type DayGrid,
  foldPeriod,
  type Period,
  plusDays,
  type RateBook,
  textOf,
} from '../definitions/index.ts';
import { type ConvertedPoint, pointText } from '../query/answer-text.ts';
import type { ReadFigures, ReadSeries } from '../query/figures-reading.service.ts';
import { tooLarge } from '../query/plan.ts';

const MOST_BYTES = 5 * 1_024 * 1_024;
/** Points that are written before the event loop is let go on. */
const AT_ONCE = 1_000;

/** What stands before the digest in canonical JSON, and what stands behind it. */
const BEFORE = '{"definitionPreview":false,';

/** All of an answer but its series. */
export interface AnswerHead {
  readonly receiptId: string;
  readonly publicationRevision: number;
  readonly generatedAt: string;
  readonly request: object;
  readonly currency: string | null;
}

export interface WrittenAnswer {
  /** Canonical JSON, with the digest in it. */
  readonly data: Buffer;
  readonly digest: string;
}

/**
 * Writes an answer as canonical JSON (RFC 8785), piece by piece, letting the event loop go on in between. `requireTime` throws
 * once its time is over.
 */
export async function writeAnswer(
  { receiptId, publicationRevision, generatedAt, request, currency }: AnswerHead,
  { series, periods, rates }: ReadFigures,
  requireTime: () => void,
): Promise<WrittenAnswer> {
  const pieces = new Pieces(requireTime);
  pieces.add(
    `"generatedAt":"${generatedAt}","publicationRevision":${publicationRevision},"receiptId":"${receiptId}",` +
      `"request":${canonicalText(request)},"series":[`,
  );
  const spans = new Map<DayGrid, readonly Span[]>();
  for (const [index, each] of series.entries()) {
    const { grid, today } = each;
    if (!spans.has(grid)) spans.set(grid, spansOf(grid, periods, today));
    pieces.add(`${index === 0 ? '' : ','}${seriesHead(each)}`);
    await writePoints(pieces, each, spans.get(grid)!, rates, currency);
    pieces.add(seriesTail(each));
  }
  pieces.add(']}');
  pieces.flush();
  const { buffers } = pieces;
  const hash = createHash('sha256').update(BEFORE);
  for (const buffer of buffers) hash.update(buffer);
  const digest = hash.digest('hex');
  return { data: Buffer.concat([Buffer.from(`${BEFORE}"digest":"${digest}",`), ...buffers]), digest };
}

/** Text that becomes bytes, counted while it does. */
class Pieces {
  readonly buffers: Buffer[] = [];
  private texts: string[] = [];
  private bytes = 0;
  private points = 0;

  constructor(private readonly requireTime: () => void) {}

  add(text: string): void {
    this.texts.push(text);
  }

  async addPoint(text: string): Promise<void> {
    this.texts.push(text);
    this.points += 1;
    if (this.points % AT_ONCE !== 0) return;
    this.flush();
    await turn();
    this.requireTime();
  }

  flush(): void {
    const buffer = Buffer.from(this.texts.join(''));
    this.texts = [];
    this.bytes += buffer.length;
    if (this.bytes > MOST_BYTES) throw tooLarge('query', 'would be answered with more than 5 MiB');
    this.buffers.push(buffer);
  }
}

async function writePoints(
  pieces: Pieces,
  series: ReadSeries,
  spans: readonly Span[],
  rates: RateBook,
  currency: string | null,
): Promise<void> {
  const { today, measures, selection } = series;
  const { expression } = selection.definition.body.calculation;
  let isFirst = true;
  for (const { period, from, to, days, lastDay } of spans) {
    const folded = foldPeriod(expression, measures, period, days, today);
    const converted = conversionOf(series, folded.value, lastDay, rates, currency);
    await pieces.addPoint(`${isFirst ? '' : ','}${pointText({ from, to, folded, converted })}`);
    isFirst = false;
  }
}

/** A period as the clocks of a timezone have it. */
interface Span {
  readonly period: Period;
  readonly from: string;
  readonly to: string;
  readonly days: readonly Day[];
  readonly lastDay: Day;
}

/** Without days that the timezone left out. */
function spansOf(grid: DayGrid, periods: readonly Period[], today: Day): readonly Span[] {
  return periods
    .map((period): Span => ({
      period,
      from: grid.startOf(period.from),
      to: grid.startOf(period.to),
      days: grid.daysOf(period),
      lastDay: lastDayOf(period, today),
    }))
    .filter(({ from, to }) => from !== to);
}

/** Of a period that is not over, today. */
function lastDayOf({ to }: Period, today: Day): Day {
  const last = plusDays(to, -1);
  return last < today ? last : today;
}

function conversionOf(
  { selection, currency: from }: ReadSeries,
  value: Parameters<typeof textOf>[0] | null,
  lastDay: Day,
  rates: RateBook,
  to: string | null,
): ConvertedPoint | null {
  if (!selection.definition.body.currency || from === null || to === null) return null;
  const none = { currency: to, value: null, rates: [], isProvisional: false, isMissingRate: false };
  if (value === null) return none;
  const found = rates.convert(value, from, to, lastDay);
  if (!found) return { ...none, isMissingRate: true };
  return { ...none, value: textOf(found.value), rates: found.rates, isProvisional: found.provisional };
}

/** What stands before the points in canonical order; `points` is followed by resources, sources, timezone and unit. */
function seriesHead({ selection, currency, split }: ReadSeries): string {
  const { key, version, hash } = selection.definition;
  const head = canonicalText({
    currency,
    dimensions: split ? { [split.dimension]: split.value } : {},
    metric: { key, version, hash },
  });
  return `${head.slice(0, -1)},"points":[`;
}

function seriesTail({ selection, source, timezone }: ReadSeries): string {
  const tail = canonicalText({
    resourceIds: [source.resourceId],
    sourceIds: [source.id],
    timezone,
    unit: selection.definition.body.unit,
  });
  return `],${tail.slice(1)}`;
}
