import { describe, expect, it } from '@jest/globals';
import type { ClaimedDelivery } from './deliveries.queries.ts';
import { outcomeOf } from './delivery-outcome.ts';

const CLAIMED: ClaimedDelivery = {
  id: 'd',
  eventId: 'e',
  event: 'task.ended',
  body: '{}',
  attemptCount: 0,
  isTest: false,
  url: 'https://hooks.example/',
};
const answered = (status: number, headers = {}) => ({ status, headers, body: Buffer.alloc(0), url: CLAIMED.url });

describe('what an attempt makes of its delivery', () => {
  it.each([200, 204, 299])('%i delivers it', (status) => {
    expect(outcomeOf(CLAIMED, answered(status), 5)).toEqual({
      status: 'delivered',
      reason: null,
      pauseMs: null,
      attempt: { status, error: null, latencyMs: 5 },
    });
  });

  it.each([199, 301, 308, 400, 401, 404, 429, 500, 503])('%i is tried again', (status) => {
    expect(outcomeOf(CLAIMED, answered(status), 5)).toMatchObject({ status: 'failed', reason: null });
  });

  it('waits as long as the answer asks for', () => {
    expect(outcomeOf(CLAIMED, answered(503, { 'retry-after': '600' }), 5).pauseMs).toBe(600_000);
  });

  it('is over with 410, with its eleventh attempt, and with the one of a test', () => {
    expect(outcomeOf(CLAIMED, answered(410), 5)).toMatchObject({ status: 'dead', reason: 'gone' });
    const exhausted = { status: 'dead', reason: 'attempts_exhausted', pauseMs: null };
    expect(outcomeOf({ ...CLAIMED, attemptCount: 10 }, answered(500), 5)).toMatchObject(exhausted);
    expect(outcomeOf({ ...CLAIMED, attemptCount: 9 }, answered(500), 5).status).toBe('failed');
    expect(outcomeOf({ ...CLAIMED, isTest: true }, answered(500), 5)).toMatchObject(exhausted);
  });

  it('names what came instead of an answer', () => {
    const refused = { refusal: 'unreachable', sent: false, detail: 'ECONNREFUSED' } as const;
    expect(outcomeOf(CLAIMED, refused, 5).attempt).toEqual({ status: null, error: 'unreachable', latencyMs: 5 });
  });
});
