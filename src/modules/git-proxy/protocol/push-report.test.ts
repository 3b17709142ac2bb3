import { describe, expect, it } from '@jest/globals';
import { BrokenFraming } from './pkt-line.ts';
import { type PushReport, reportBytes, reportForm, reportIn } from './push-report.ts';

const banded = { isReported: true, hasSideBand: true };
const bare = { isReported: true, hasSideBand: false };
const DONE: PushReport = { refs: [{ ref: 'refs/heads/main', isDone: true }] };
const REFUSED: PushReport = { refs: [{ ref: 'refs/heads/main', isDone: false, reason: 'approval required' }] };

describe('a report', () => {
  it('has the form that git takes', () => {
    expect(reportBytes(DONE, banded).toString('latin1')).toBe(
      '002e\x01000eunpack ok\n0017ok refs/heads/main\n00000000',
    );
    expect(reportBytes(DONE, bare).toString('latin1')).toBe('000eunpack ok\n0017ok refs/heads/main\n0000');
    expect(reportBytes(REFUSED, bare).toString('latin1')).toBe(
      '000eunpack ok\n0029ng refs/heads/main approval required\n0000',
    );
    expect(reportBytes({ ...DONE, unpackFault: 'too large' }, bare).toString('latin1')).toContain('unpack too large\n');
  });

  it('says remarks before it in their own band', () => {
    const text = reportBytes({ ...REFUSED, remarks: ['Action A-7K3M9Q waits.'] }, banded).toString('latin1');
    expect(text.startsWith('001c\x02Action A-7K3M9Q waits.\n')).toBe(true);
    expect(text).toMatch(/00000000$/);
    expect(reportBytes({ ...REFUSED, remarks: ['no'] }, bare).toString('latin1')).not.toContain('no\n0');
    const remarks = ['Action A-7K3M9Q waits.', 'See there.'];
    expect(reportIn(reportBytes({ ...REFUSED, remarks }, banded), true)).toEqual({ ...REFUSED, remarks });
    const many = Array.from({ length: 30 }, (_, each) => `Resolving deltas: ${each}`);
    expect(reportIn(reportBytes({ ...DONE, remarks: many }, banded), true).remarks).toEqual(many.slice(0, 20));
  });

  it('is nothing where none was asked for', () => {
    const form = reportForm(new Set(['side-band-64k']));
    expect(reportBytes(DONE, form).toString('latin1')).toBe('0000');
    expect(reportBytes(DONE, reportForm(new Set())).toString('latin1')).toBe('');
  });

  it('has reasons of visible ASCII on one line', () => {
    const reason = `näin\r\n0000${'x'.repeat(400)}`;
    const [verdict] = reportIn(
      reportBytes({ refs: [{ ref: 'refs/heads/a', isDone: false, reason }] }, banded),
      true,
    ).refs;
    expect(verdict).toEqual({ ref: 'refs/heads/a', isDone: false, reason: `n?in??0000${'x'.repeat(190)}` });
  });

  it.each<[string, PushReport]>([
    ['done', DONE],
    ['refused', REFUSED],
    [
      'of many refs',
      { refs: Array.from({ length: 200 }, (_, each) => ({ ref: `refs/heads/b${each}`, isDone: true })) },
    ],
    ['not unpacked', { unpackFault: 'index-pack failed', refs: [] }],
  ])('that is %s is read as it was written', (_, report) => {
    for (const form of [banded, bare]) expect(reportIn(reportBytes(report, form), form.hasSideBand)).toEqual(report);
  });

  it('of version 2 says the same', () => {
    const text = '000eunpack ok\n0017ok refs/heads/main\n0021option refname refs/heads/other\n0000';
    expect(() => reportIn(Buffer.from(text.replace('0021', '0024'), 'latin1'), false)).not.toThrow();
  });

  it.each(['', '0000', '000eunpack ok\n', '0009what\n0000', '000eunpack ok\n0008what0000', '<html>'])(
    'is not %j',
    (text) => expect(() => reportIn(Buffer.from(text, 'latin1'), false)).toThrow(BrokenFraming),
  );

  it.each(['000a\x03fatal0000', '0012\x01000eunpack ok\n', '0013\x01000eunpack ok\n0000'])(
    'in a band is not %j',
    (text) => expect(() => reportIn(Buffer.from(text, 'latin1'), true)).toThrow(BrokenFraming),
  );
});
