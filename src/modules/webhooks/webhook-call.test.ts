import { describe, expect, it } from '@jest/globals';
import { callBody, sentOf } from './webhook-call.ts';

const answered = (status: number) => ({ status, headers: {}, body: Buffer.alloc(0), url: 'https://hooks.example/' });

describe('the body of a call', () => {
  it('holds the arguments as the text that was approved', () => {
    const action = { id: 'a', reference: 'A-7K3M9Q', taskId: null, argumentsText: '{"amount":1e+2,"to":"x"}' };
    expect(callBody(action, new Date('2026-03-01T09:30:00.123Z'))).toBe(
      '{"type":"action.call","timestamp":"2026-03-01T09:30:00.123000Z","data":{"actionId":"a","reference":"A-7K3M9Q","taskId":null,"arguments":{"amount":1e+2,"to":"x"}}}',
    );
  });
});

describe('what an answer says of a call', () => {
  it.each([
    [200, 'succeeded'],
    [204, 'succeeded'],
    [301, 'failed'],
    [307, 'failed'],
    [400, 'failed'],
    [404, 'failed'],
    [410, 'failed'],
    [429, 'failed'],
    [408, 'ambiguous'],
    [409, 'ambiguous'],
    [425, 'ambiguous'],
    [500, 'ambiguous'],
    [503, 'ambiguous'],
  ])('%i: %s', (status, outcome) => {
    expect(sentOf(answered(status)).outcome).toBe(outcome);
  });

  it('without one, it was not executed where no byte can have left, and is unclear otherwise', () => {
    const refused = { refusal: 'unreachable', detail: 'ECONNREFUSED' } as const;
    expect(sentOf({ ...refused, sent: false }).outcome).toBe('not_executed');
    expect(sentOf({ ...refused, sent: true }).outcome).toBe('ambiguous');
  });
});
