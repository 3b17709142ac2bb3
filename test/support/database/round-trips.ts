import { expect, jest } from '@jest/globals';
import pg from 'pg';

interface Sent {
  readonly text?: string;
  readonly queries?: readonly unknown[];
}

/** Statements of each round trip that a call makes; wakeups are sent apart, by whoever has some. */
export async function costOf(call: () => Promise<{ status: number }>, success = 200): Promise<number[]> {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  const { status } = await call();
  const sent = query.mock.calls.map(
    ([first]) => (typeof first === 'string' ? { text: first } : first) as unknown as Sent,
  );
  query.mockRestore();
  expect(status).toBe(success);
  return sent.filter(({ text }) => !text?.includes('pg_notify')).map(({ queries }) => queries?.length ?? 1);
}
