import { describe, expect, it } from '@jest/globals';
import { BrokenFraming, FLUSH, pktLine } from './pkt-line.ts';
import { type PushCommands, PushRequestReader } from './push-request.ts';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const COMMAND = `${OLD} ${NEW} refs/heads/main`;
const PACK = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');

function read(whole: Uint8Array, size = whole.length): { commands: PushCommands | undefined; pack: Buffer } {
  const reader = new PushRequestReader();
  for (let at = 0; at < whole.length; at += size) {
    const commands = reader.add(whole.subarray(at, at + size));
    if (commands) return { commands, pack: Buffer.concat([reader.pack, whole.subarray(at + size)]) };
  }
  return { commands: undefined, pack: reader.pack };
}

describe('the commands of a push', () => {
  it.each([
    ['git', `${COMMAND}\0 report-status-v2 side-band-64k object-format=sha1 agent=git/2.39.5`],
    ['a client without a space behind the NUL', `${COMMAND}\0report-status-v2 side-band-64k agent=x`],
    ['one that ends lines', `${COMMAND}\0 report-status-v2 side-band-64k\n`],
  ])('of %s are read, and the pack behind them is left', (_, line) => {
    const whole = Buffer.concat([pktLine(`shallow ${OLD}\n`), pktLine(line), FLUSH, PACK]);
    for (const size of [1, 7, whole.length]) {
      const { commands, pack } = read(whole, size);
      expect(commands).toMatchObject({
        shallow: [OLD],
        commands: [{ oldOid: OLD, newOid: NEW, ref: 'refs/heads/main' }],
        isSigned: false,
        isProbe: false,
      });
      expect(commands!.capabilities.has('report-status-v2')).toBe(true);
      expect(pack).toEqual(PACK);
    }
  });

  it('may be several, for the caller to refuse', () => {
    const whole = Buffer.concat([
      pktLine(`${COMMAND}\0 report-status`),
      pktLine(`${OLD} ${NEW} refs/tags/a name`),
      FLUSH,
    ]);
    expect(read(whole).commands!.commands.map(({ ref }) => ref)).toEqual(['refs/heads/main', 'refs/tags/a name']);
  });

  it('may be a question whether pushing works at all', () =>
    expect(read(FLUSH).commands).toMatchObject({ isProbe: true, commands: [] }));

  it('may be signed, for the caller to refuse', () => {
    const whole = Buffer.concat([pktLine('push-cert\0 push-cert=x'), pktLine('certificate version 0.1\n'), FLUSH]);
    expect(read(whole).commands).toMatchObject({ isSigned: true, isProbe: false });
  });

  it('are not there before their flush', () => {
    const reader = new PushRequestReader();
    expect(reader.add(pktLine(`${COMMAND}\0`))).toBeUndefined();
    expect(() => reader.cut()).toThrow('it has no flush');
    expect(() => new PushRequestReader().cut()).toThrow('it is empty');
  });

  it.each<[string, Uint8Array]>([
    ['no commands', Buffer.from('PACK....')],
    ['a short object', pktLine(`${OLD.slice(1)} ${NEW} refs/heads/main\0`)],
    ['an object in capitals', pktLine(`${OLD.toUpperCase()} ${NEW} refs/heads/main\0`)],
    ['no ref', pktLine(`${OLD} ${NEW} \0`)],
    ['capabilities twice', Buffer.concat([pktLine(`${COMMAND}\0 a`), pktLine(`${COMMAND}\0 b`)])],
    ['a shallow line twice', Buffer.concat([pktLine(`shallow ${OLD}`), pktLine(`shallow ${OLD}`)])],
    ['a shallow line of no object', pktLine('shallow main')],
    ['a shallow line behind a command', Buffer.concat([pktLine(`${COMMAND}\0`), pktLine(`shallow ${OLD}`)])],
    ['shallow lines alone', Buffer.concat([pktLine(`shallow ${OLD}`), FLUSH])],
    ['a delimiter', Buffer.from('0001')],
    ['lines without end', Buffer.concat(Array(2).fill(pktLine(`${COMMAND}\0 ${'a'.repeat(40_000)}`)))],
    [
      'too many shallow lines',
      Buffer.concat(
        Array.from({ length: 1_001 }, (_, each) => pktLine(`shallow ${each.toString(16).padStart(40, '0')}`)),
      ),
    ],
  ])('are refused that have %s', (_, whole) => expect(() => read(whole)).toThrow(BrokenFraming));
});
