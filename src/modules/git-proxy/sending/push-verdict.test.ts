import { describe, expect, it } from '@jest/globals';
import { type PushReport, reportBytes } from '../protocol/index.ts';
import { verdictOf } from './push-verdict.ts';

const REF = 'refs/heads/main';
const banded = { isReported: true, hasSideBand: true };
const saying = (report: PushReport, form = banded) =>
  verdictOf({ status: 200, hasReport: true, body: reportBytes(report, form) }, REF, form.hasSideBand);
const answering = (status: number, body = '', hasReport = false) =>
  verdictOf({ status, hasReport, body: Buffer.from(body, 'latin1') }, REF, true);
const outcomeOf = (verdict: ReturnType<typeof verdictOf>) =>
  'error' in verdict ? [verdict.outcome, verdict.error.code] : [verdict.outcome];

describe('what became of a push, by the answer of its host', () => {
  it('is what the report says of the branch, with what is said beside it', () => {
    const done: PushReport = { refs: [{ ref: REF, isDone: true }] };
    for (const form of [banded, { ...banded, hasSideBand: false }])
      expect(saying(done, form)).toEqual({ outcome: 'succeeded', result: { ref: REF } });
    const remarks = ['Create a pull request:', 'https://github.com/acme/shop/pull/new/main'];
    expect(saying({ ...done, remarks })).toEqual({ outcome: 'succeeded', result: { ref: REF, remarks } });
    const refused: PushReport = {
      refs: [{ ref: REF, isDone: false, reason: 'hook declined' }],
      remarks: ['Not today.'],
    };
    expect(saying(refused)).toEqual({
      outcome: 'failed',
      error: {
        code: 'ref_refused',
        message: 'The code host does not move the branch: hook declined. It said: Not today.',
        providerStatus: 200,
      },
    });
    expect(outcomeOf(saying({ ...done, unpackFault: 'index-pack failed' }))).toEqual(['failed', 'pack_refused']);
  });

  it.each([
    [400, 'provider_rejected'],
    [401, 'credential_refused'],
    [403, 'scope_lost'],
    [404, 'not_found'],
    [413, 'too_large'],
    [429, 'rate_limited'],
  ])('is a refusal at %i', (status, code) => expect(outcomeOf(answering(status))).toEqual(['failed', code]));

  it.each([100, 204, 301, 307, 408, 409, 425, 500, 502, 503, 504])('is not known at %i', (status) => {
    expect(answering(status)).toMatchObject({ outcome: 'ambiguous', error: { providerStatus: status } });
  });

  it.each([
    ['a web page', '<p>Sign in</p>', false],
    ['nothing', '', true],
    ['an error of its own', '000a\u0003fatal0000', true],
    ['half a report', '002e\u0001000eunpack ok\n0017ok refs/he', true],
    ['a report that does not end', '0012\u0001000eunpack ok\n', true],
  ])('is not known from %s', (_, body, hasReport) => {
    expect(outcomeOf(answering(200, body, hasReport))).toEqual(['ambiguous', 'bad_answer']);
  });

  it('is not known from a report of other branches', () => {
    for (const refs of [[], [{ ref: `${REF}2`, isDone: true as const }]])
      expect(outcomeOf(saying({ refs }))).toEqual(['ambiguous', 'bad_answer']);
  });
});
