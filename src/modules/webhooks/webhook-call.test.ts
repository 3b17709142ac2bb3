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
    const ends = [
      ['unreachable', 'no_answer'],
      ['timeout', 'timeout'],
      ['aborted', 'aborted'],
      ['too_large', 'unclear_answer'],
    ] as const;
    for (const [refusal, code] of ends) {
      const before = sentOf({ refusal, sent: false, detail: '' });
      expect(before).toEqual({ outcome: 'not_executed', error: { code: refusal, message: expect.any(String) } });
      const after = sentOf({ refusal, sent: true, detail: '' });
      const message = expect.stringMatching(/^The call was sent, and /);
      expect(after).toEqual({ outcome: 'ambiguous', error: { code, message } });
    }
  });
});
