import {
  endOf,
  type Placed,
  type Position,
  type Step,
  stepsFrom,
  stepsInto,
  stepsThrough,
} from './activity-position.ts';

/** Entries of one read, and the transactions that had not ended when it was made. */
export interface FoundEntries<Row extends Placed> {
  readonly rows: readonly Row[];
  readonly open: readonly number[];
}

/** The reads of a log, each of at most `limit` entries. */
export interface LogReads<Row extends Placed> {
  /** Entries behind a position, in the order of their transactions; of those that `until` has, if it is given. */
  after(position: Position, limit: number, until?: Position): Promise<FoundEntries<Row>>;
  /** What is left of the transactions that are begun, in the order of time and id. */
  within(position: Position, limit: number): Promise<FoundEntries<Row>>;
}

export interface LogPage<Row extends Placed> {
  readonly steps: readonly Step<Row>[];
  /** Where a reader is that has the page. */
  readonly end: Position;
  /** Whether it has then all that there was to see. */
  readonly isWhole: boolean;
}

/** Reads the next page behind a position: first the rest of the transactions that are begun, if there are any. */
export async function readPage<Row extends Placed>(
  log: LogReads<Row>,
  position: Position,
  limit: number,
  until?: Position,
): Promise<LogPage<Row>> {
  if (position.begun.length > 0) return readRest(log, position, limit);
  const { rows, open } = await log.after(position, limit, until);
  const sight = { open: until?.open ?? open };
  if (rows.length < limit) {
    const steps = stepsFrom(position, rows, sight);
    return { steps, end: endOf(position, steps, sight), isWhole: true };
  }
  // The last transaction may have more; it is left to the next page, unless there is no other.
  const cutAt = rows.at(-1)!.writtenIn;
  const whole = rows.filter(({ writtenIn }) => writtenIn < cutAt);
  const steps = whole.length > 0 ? stepsFrom(position, whole, { ...sight, cutAt }) : stepsInto(position, rows, sight);
  return { steps, end: steps.at(-1)!.position, isWhole: false };
}

async function readRest<Row extends Placed>(
  log: LogReads<Row>,
  position: Position,
  limit: number,
): Promise<LogPage<Row>> {
  const { rows } = await log.within(position, limit);
  const isCut = rows.length === limit;
  const steps = stepsThrough(position, rows, isCut);
  const end = steps.at(-1)?.position ?? position;
  return { steps, end: isCut ? end : { ...end, begun: [] }, isWhole: false };
}
