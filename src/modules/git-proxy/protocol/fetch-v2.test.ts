import { describe, expect, it } from '@jest/globals';
import { lsRefsRequest, packIn, refIn, treesRequest } from './fetch-v2.ts';
import { BrokenFraming, FLUSH, pktLine } from './pkt-line.ts';

const OID = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);

it('asks for refs as git does', () =>
  expect(lsRefsRequest('refs/heads/main', 'x').toString('latin1')).toBe(
    '0014command=ls-refs\n000bagent=x0016object-format=sha10001001fref-prefix refs/heads/main\n0000',
  ));

it('asks for trees without files', () =>
  expect(treesRequest([OID], 'x').toString('latin1')).toContain(
    `filter blob:none\n000ddeepen 1\n0032want ${OID}\n0009done\n0000`,
  ));

describe('a list of refs', () => {
  const list = Buffer.concat([
    pktLine('unborn HEAD symref-target:refs/heads/none\n'),
    pktLine(`${OTHER} refs/heads/main2\n`),
    pktLine(`${OID} refs/heads/main\n`),
    FLUSH,
  ]);

  it('tells where exactly this one stands', () => {
    expect(refIn(list, 'refs/heads/main')).toBe(OID);
    expect(refIn(list, 'refs/heads/mai')).toBeNull();
  });

  it.each([list.subarray(0, -4), Buffer.from('<html>'), pktLine('ERR no\n'), Buffer.alloc(0)])(
    'is whole or none',
    (bytes) => expect(() => refIn(bytes, 'refs/heads/main')).toThrow(BrokenFraming),
  );
});

describe('the answer to a fetch', () => {
  it('has a pack in its band, and the ends of history', () => {
    const answer = Buffer.concat([
      pktLine('shallow-info\n'),
      pktLine(`shallow ${OID}\n`),
      Buffer.from('0001'),
      pktLine('packfile\n'),
      pktLine('\x02counting\n'),
      pktLine('\x01PA'),
      pktLine('\x01CK'),
      FLUSH,
    ]);
    expect(packIn(answer)).toEqual({ pack: Buffer.from('PACK'), shallow: [OID] });
  });

  it.each([
    Buffer.concat([pktLine('packfile\n'), pktLine('\x03fatal'), FLUSH]),
    Buffer.concat([pktLine('ERR not our ref\n')]),
    FLUSH,
  ])('without one is broken', (bytes) => expect(() => packIn(bytes)).toThrow(BrokenFraming));
});
