import { describe, expect, it } from '@jest/globals';
import { AdvertisedRefReader, PushAdvertisement } from './advertisement.ts';
import { BrokenFraming, FLUSH, pktLine } from './pkt-line.ts';

const OID = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);
const WORDS =
  'report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta push-options push-cert=1-x session-id=2 object-format=sha1 agent=git/2.39.5';
const HEAD = Buffer.concat([pktLine('# service=git-receive-pack\n'), FLUSH]);
const advertised = (words = WORDS) =>
  Buffer.concat([
    HEAD,
    pktLine(Buffer.from(`${OID} refs/heads/main\0${words}`, 'latin1')),
    pktLine(`${OTHER} refs/heads/main2\n`),
    FLUSH,
  ]);

function rewritten(whole: Buffer, size: number) {
  const rewriting = new PushAdvertisement();
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length; at += size) pieces.push(rewriting.rewrite(whole.subarray(at, at + size)));
  return { text: Buffer.concat(pieces).toString('latin1'), capabilities: rewriting.capabilities };
}

describe('what a host advertises to clients that push', () => {
  it('loses what nobody could approve, and asks for packs that stand by themselves', () => {
    for (const size of [1, 5, 64, 10_000]) {
      const { text, capabilities } = rewritten(advertised(), size);
      const words =
        'report-status report-status-v2 side-band-64k quiet atomic ofs-delta object-format=sha1 agent=git/2.39.5 no-thin\n';
      const line = pktLine(Buffer.from(`${OID} refs/heads/main\0${words}`, 'latin1'));
      const expected = Buffer.concat([HEAD, line, pktLine(`${OTHER} refs/heads/main2\n`), FLUSH]);
      expect(text).toBe(expected.toString('latin1'));
      expect(capabilities!.objectFormat).toBe('sha1');
    }
  });

  it('of an empty repository is the same', () => {
    const zeros = '0'.repeat(40);
    const whole = Buffer.concat([HEAD, pktLine(Buffer.from(`${zeros} capabilities^{}\0delete-refs`)), FLUSH]);
    expect(rewritten(whole, whole.length).text).toContain(`${zeros} capabilities^{}\0no-thin\n`);
  });

  it('says in which form its objects are', () =>
    expect(rewritten(advertised('object-format=sha256'), 100).capabilities!.objectFormat).toBe('sha256'));

  it.each<[string, Buffer]>([
    ['a page', Buffer.from('<html><body>')],
    ['refs without capabilities', Buffer.concat(Array(5).fill(pktLine(`${OID} refs/heads/main\n`)))],
    ['another version', Buffer.from('0001')],
  ])('is not %s', (_, whole) => expect(() => rewritten(whole, 9)).toThrow(BrokenFraming));
});

describe('where a host says that a ref stands', () => {
  const read = (whole: Buffer, ref: string, size = 9) => {
    const reader = new AdvertisedRefReader(ref);
    for (let at = 0; at < whole.length; at += size) reader.add(whole.subarray(at, at + size));
    return reader.result.oid;
  };

  it('is found by its whole name', () => {
    expect(read(advertised(), 'refs/heads/main')).toBe(OID);
    expect(read(advertised(), 'refs/heads/main2')).toBe(OTHER);
    expect(read(advertised(), 'refs/heads/mai')).toBeNull();
  });

  it('is nowhere in an empty repository', () => {
    const whole = Buffer.concat([HEAD, pktLine(Buffer.from(`${'0'.repeat(40)} capabilities^{}\0a`)), FLUSH]);
    expect(read(whole, 'capabilities^{}')).toBeNull();
  });

  it('is not told by half of it', () => {
    const whole = advertised();
    for (const cut of [4, 12, whole.length - 1])
      expect(() => read(whole.subarray(0, whole.length - cut), 'refs/heads/main')).toThrow(BrokenFraming);
  });
});
