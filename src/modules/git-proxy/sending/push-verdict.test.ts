import { describe, expect, it } from '@jest/globals';
import { FLUSH, pktLine, type PushReport, reportBytes } from '../protocol/index.ts';
import { verdictOf } from './push-verdict.ts';

const REF = 'refs/heads/main';
const TOKEN = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a';
const banded = { isReported: true, hasSideBand: true };
const asked = (hasSideBand = true) => ({ ref: REF, hasSideBand, token: TOKEN });
const saying = (report: PushReport, form = banded) =>
  verdictOf({ status: 200, hasReport: true, body: reportBytes(report, form) }, asked(form.hasSideBand));
const answering = (status: number, body = '', hasReport = false) =>
  verdictOf({ status, hasReport, body: Buffer.from(body, 'latin1') }, asked());
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

  it('never has the token, however the host cuts it into bands and lines', () => {
    const basic = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
    const frames = (band: number, bytes: Buffer, cut: number) =>
      [bytes.subarray(0, cut), bytes.subarray(cut)].map((part) => pktLine(Buffer.concat([Buffer.of(band), part])));
    const said = (remark: string, lines: readonly string[], cut: number) => {
      const report = Buffer.concat([...lines.map((line) => pktLine(`${line}\n`)), FLUSH]);
      const body = Buffer.concat([...frames(2, Buffer.from(remark), cut), ...frames(1, report, cut), FLUSH]);
      return JSON.stringify(verdictOf({ status: 200, hasReport: true, body }, asked()));
    };
    for (const secret of [TOKEN, basic]) {
      const refusal = `hook saw ${secret} here`;
      for (let cut = 1; cut < 60; cut += 1) {
        const broken = `${secret.slice(0, cut)}\n${secret.slice(cut)}\n`;
        for (const verdict of [
          said(`${'x'.repeat(150)} ${secret}\n`, ['unpack ok', `ok ${REF}`], 140 + cut),
          said(broken, ['unpack ok', `ok ${REF}`], 1),
          said(broken, ['unpack ok', `ng ${REF} ${refusal}`], 40 + cut),
          said('', [`unpack ${refusal}`, `ng ${REF} ${refusal}`], 20 + cut),
        ]) {
          expect(verdict).toContain('[redacted]');
          expect(verdict).not.toContain(secret.slice(22, 34));
        }
      }
    }
  });

  it('is not known from a report of other branches', () => {
    for (const refs of [[], [{ ref: `${REF}2`, isDone: true as const }]])
      expect(outcomeOf(saying({ refs }))).toEqual(['ambiguous', 'bad_answer']);
  });
});
