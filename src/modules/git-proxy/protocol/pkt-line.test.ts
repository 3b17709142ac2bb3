import { describe, expect, it } from '@jest/globals';
import { BrokenFraming, type Packet, PacketReader, packetsIn, pktLine } from './pkt-line.ts';

const shown = (packets: readonly Packet[]) =>
  packets.map((packet) => (packet.kind === 'line' ? packet.payload.toString('latin1') : packet.kind));

describe('lines', () => {
  it('are framed by their length in four digits', () => {
    expect(pktLine('a\n').toString('latin1')).toBe('0006a\n');
    expect(pktLine('').toString('latin1')).toBe('0004');
    expect(pktLine('é').toString('latin1')).toBe('0006\xc3\xa9');
    expect(() => pktLine(Buffer.alloc(65_517))).toThrow(RangeError);
  });

  it('are read with what stands between them', () => {
    const bytes = Buffer.from('0006a\n0005b0001000200000004', 'latin1');
    expect(shown(packetsIn(bytes))).toEqual(['a\n', 'b', 'delimiter', 'response_end', 'flush', '']);
  });

  it.each(['0003', 'fff1', 'zzzz', '+006', ' 006', '0x06', '0006a', '00', '000'])('are not %j', (text) =>
    expect(() => packetsIn(Buffer.from(text, 'latin1'))).toThrow(BrokenFraming),
  );

  it('are the same however their bytes come', () => {
    const whole = Buffer.concat([pktLine('one'), pktLine(Buffer.alloc(300, 7)), Buffer.from('0000'), pktLine('two\n')]);
    for (let size = 1; size < 40; size += 1) {
      const reader = new PacketReader();
      const packets: Packet[] = [];
      for (let at = 0; at < whole.length; at += size) {
        reader.add(whole.subarray(at, at + size));
        for (let packet = reader.next(); packet; packet = reader.next()) packets.push(packet);
      }
      expect(shown(packets)).toEqual(shown(packetsIn(whole)));
      expect(reader.rest).toHaveLength(0);
    }
  });
});
