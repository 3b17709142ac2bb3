import type { Position } from './activity-position.ts';

/** Digits and small letters: numbers count from the position's `next` backwards, so most have one or two of them. */
const BASE = 36;
const NUMBER = '[0-9a-z]{1,11}';
const LIST = `((?:${NUMBER}(?:-${NUMBER})*)?)`;
const EVENT_ID = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.${LIST}\\.${LIST}\\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`,
);
/** More transactions than a database server has connections. */
const MAX_LISTED = 2_000;

/** The id of an event: its position as text, which any process can go on from. Undefined in an empty log. */
export function eventIdOf({ next, open, begun, last }: Position): string | undefined {
  if (!last) return undefined;
  const back = (transaction: number) => (next - transaction).toString(BASE);
  const list = (transactions: readonly number[]) => transactions.map(back).join('-');
  return [next.toString(BASE), back(last.writtenIn), list(open), list(begun), last.id].join('.');
}

/** The position that an event id stands for; undefined for a text that is no id of ours. */
export function parseEventId(eventId: string | undefined): Position | undefined {
  const [, next, last, open, begun, id] = EVENT_ID.exec(eventId ?? '') ?? [];
  if (next === undefined) return undefined;
  const first = Number.parseInt(next, BASE);
  const at = (text: string) => first - Number.parseInt(text, BASE);
  const list = (text: string) => (text === '' ? [] : text.split('-').map(at));
  const position = { next: first, open: list(open!), begun: list(begun!), last: { writtenIn: at(last!), id: id! } };
  const transactions = [...position.open, ...position.begun, position.last.writtenIn];
  const isPosition =
    Number.isSafeInteger(first) &&
    transactions.length <= MAX_LISTED &&
    transactions.every((transaction) => transaction >= 0 && transaction < first);
  return isPosition ? position : undefined;
}
