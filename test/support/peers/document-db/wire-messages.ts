import { BSON, type Document } from 'mongodb';

const OP_REPLY = 1;
const OP_QUERY = 2_004;
const OP_MSG = 2_013;
const HEADER = 16;

/** A command of the wire protocol: in the form of the first handshake, or a message. */
export interface WireCommand {
  readonly requestId: number;
  readonly isLegacy: boolean;
  readonly body: Document;
}

/** Takes bytes and gives commands, as they become whole. */
export class WireReader {
  private pending = Buffer.alloc(0);

  *read(piece: Buffer): Generator<WireCommand> {
    this.pending = Buffer.concat([this.pending, piece]);
    while (this.pending.length >= HEADER) {
      const size = this.pending.readInt32LE(0);
      if (this.pending.length < size) return;
      const message = this.pending.subarray(0, size);
      this.pending = this.pending.subarray(size);
      yield commandOf(message);
    }
  }
}

export function replyTo({ requestId, isLegacy }: WireCommand, answer: Document): Buffer {
  const document = Buffer.from(BSON.serialize(answer));
  const head = Buffer.alloc(HEADER + (isLegacy ? 20 : 5));
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(1, 4);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(isLegacy ? OP_REPLY : OP_MSG, 12);
  if (isLegacy) head.writeInt32LE(1, HEADER + 16);
  return Buffer.concat([head, document]);
}

function commandOf(message: Buffer): WireCommand {
  const requestId = message.readInt32LE(4);
  const operation = message.readInt32LE(12);
  if (operation === OP_QUERY) {
    const nameEnds = message.indexOf(0, HEADER + 4);
    return { requestId, isLegacy: true, body: documentAt(message, nameEnds + 9) };
  }
  if (operation !== OP_MSG || message[HEADER + 4] !== 0)
    throw new Error(`An operation ${operation} that nobody sends.`);
  return { requestId, isLegacy: false, body: documentAt(message, HEADER + 5) };
}

function documentAt(message: Buffer, start: number): Document {
  const size = message.readInt32LE(start);
  return BSON.deserialize(message.subarray(start, start + size), { promoteLongs: false, promoteBuffers: true });
}
