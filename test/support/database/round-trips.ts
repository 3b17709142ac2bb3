import { expect, jest } from '@jest/globals';
import pg from 'pg';

interface Sent {
  readonly text?: string;
  readonly queries?: readonly { readonly statement: { readonly text: string } }[];
}

/**
 * What is sent apart from calls: wakeups, by whoever has some, and whether they are still heard; which workers claimed, once a
 * minute for each; that leases can be renewed, every few seconds.
 */
const APART = /pg_notify|^select 1$|^listen |insert into worker |update lease_watch /;

/** Statements of each round trip that a call makes. */
export async function costOf(call: () => Promise<{ status: number }>, success = 200): Promise<number[]> {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  const { status } = await call();
  const sent = query.mock.calls.map(
    ([first]) => (typeof first === 'string' ? { text: first } : first) as unknown as Sent,
  );
  query.mockRestore();
  expect(status).toBe(success);
  const textsOf = ({ text = '', queries = [] }: Sent) => [text, ...queries.map(({ statement }) => statement.text)];
  const begins = (each: Sent) => textsOf(each).some((text) => /^\s*begin\b/i.test(text));
  // Of a transaction in the background that began before.
  const isLeftOver = (each: Sent, at: number) => each.text === 'commit' && !sent.slice(0, at).some(begins);
  return sent
    .filter((each, at) => !isLeftOver(each, at) && !textsOf(each).some((text) => APART.test(text)))
    .map(({ queries }) => queries?.length ?? 1);
}
