import { describe, expect, it } from '@jest/globals';
import type { ManifestAnswerDto } from './manifest-task.dto.ts';
import { boundedAnswers, MAX_ANSWER_BYTES } from './manifest-answers.ts';

function answerOf(body: string, response: string | null): ManifestAnswerDto {
  return {
    inboxItemId: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11',
    status: response === null ? 'expired' : 'answered',
    title: 'May I?',
    body,
    response,
    optionId: null,
    at: '2026-03-01T09:30:00.000000Z',
  };
}
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the answers of a manifest', () => {
  it('are whole where they fit, to the byte', () => {
    const answers = [answerOf('a', 'Yes.'), answerOf('b', null)];
    expect(boundedAnswers(answers, bytes(answers))).toEqual(answers);
    expect(boundedAnswers(answers, bytes(answers) - 1)).not.toEqual(answers);
  });

  it('lose the ends of their bodies before those of their responses, the oldest first', () => {
    const answers = [answerOf('a'.repeat(500), 'x'.repeat(500)), answerOf('b'.repeat(500), 'y'.repeat(500))];
    const shown = boundedAnswers(answers, bytes(answers) - 300);
    expect(shown[0]).toEqual(answers[0]);
    expect(shown[1]).toEqual({ ...answers[1], body: expect.stringMatching(/^b{100,300}…$/), truncated: true });
    const [, shorter] = boundedAnswers(answers, bytes(answers) - 700);
    expect(shorter).toMatchObject({ body: '…', response: expect.stringMatching(/^y{100,400}…$/), truncated: true });
  });

  it('take no more than their limit, whatever their texts take in JSON', () => {
    for (const text of ['a', 'é', '😀', '"', '\n', '\u0001'].map((part) => part.repeat(10_000))) {
      const shown = boundedAnswers(Array.from({ length: 20 }, () => answerOf(text, text)));
      expect(shown).toHaveLength(20);
      expect(bytes(shown)).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    }
  });
});
