/** The most that one line holds, its four digits of length not counted. */
export const MOST_LINE_BYTES = 65_516;
const DIGITS = 4;

/** What a stream of Git's wire protocol consists of. */
export type Packet =
  | { readonly kind: 'line'; readonly payload: Buffer }
  | { readonly kind: 'flush' }
  | { readonly kind: 'delimiter' }
  | { readonly kind: 'response_end' };

/** Bytes that are no sequence of lines. */
export class BrokenFraming extends Error {
  constructor(detail: string) {
    super(`The body is no sequence of pkt-lines: ${detail}.`);
    this.name = 'BrokenFraming';
  }
}

const CONTROL: Readonly<Record<number, Exclude<Packet['kind'], 'line'>>> = {
  0: 'flush',
  1: 'delimiter',
  2: 'response_end',
};

/**
 * Takes bytes as they come and gives packets as soon as they are whole. What was not given yet is kept, so that who knows
 * where the lines end can go on with the bytes behind.
 */
export class PacketReader {
  private pending: Buffer = Buffer.alloc(0);

  add(bytes: Uint8Array): void {
    this.pending = this.pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.pending, bytes]);
  }

  /** The next packet; undefined where its bytes are not all here. Throws `BrokenFraming`. */
  next(): Packet | undefined {
    if (this.pending.length < DIGITS) return undefined;
    const length = lengthIn(this.pending);
    const control = CONTROL[length];
    if (control) {
      this.pending = this.pending.subarray(DIGITS);
      return { kind: control };
    }
    if (length < DIGITS) throw new BrokenFraming('a length is 0003');
    if (length > DIGITS + MOST_LINE_BYTES) throw new BrokenFraming('a line is longer than lines may be');
    if (this.pending.length < length) return undefined;
    const payload = this.pending.subarray(DIGITS, length);
    this.pending = this.pending.subarray(length);
    return { kind: 'line', payload };
  }

  /** The bytes behind the last packet that was given. */
  get rest(): Buffer {
    return this.pending;
  }
}

function lengthIn(bytes: Buffer): number {
  const digits = bytes.toString('latin1', 0, DIGITS);
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new BrokenFraming('a length is not hexadecimal');
  return Number.parseInt(digits, 16);
}

/** All packets of a whole message. Throws `BrokenFraming` also where the last one is cut. */
export function packetsIn(bytes: Uint8Array): readonly Packet[] {
  const reader = new PacketReader();
  reader.add(bytes);
  const packets: Packet[] = [];
  for (let packet = reader.next(); packet; packet = reader.next()) packets.push(packet);
  if (reader.rest.length > 0) throw new BrokenFraming('it ends within a line');
  return packets;
}

export const FLUSH = Buffer.from('0000', 'latin1');
export const DELIMITER = Buffer.from('0001', 'latin1');

/** One line of at most `MOST_LINE_BYTES`. */
export function pktLine(payload: string | Uint8Array): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload;
  if (bytes.length > MOST_LINE_BYTES) throw new RangeError(`A pkt-line holds at most ${MOST_LINE_BYTES} bytes.`);
  const length = (bytes.length + DIGITS).toString(16).padStart(DIGITS, '0');
  return Buffer.concat([Buffer.from(length, 'latin1'), bytes]);
}

/** The text of a line without the line feed that may end it. */
export function textOf(payload: Buffer): string {
  const end = payload.at(-1) === 0x0a ? payload.length - 1 : payload.length;
  return payload.toString('utf8', 0, end);
}
