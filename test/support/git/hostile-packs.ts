import { createHash } from 'node:crypto';
import { constants, createDeflate, deflateSync } from 'node:zlib';

const MIB = 1_024 * 1_024;
const TYPES = { commit: 1, tree: 2, blob: 3, offsetDelta: 6 } as const;

/** Packs that are small on the wire, and in which something is as large as is said. */
export const HOSTILE_PACKS = {
  /** A file of so many zeros. */
  blob: async (bytes: number) => packOf([[header('blob', bytes), await deflated(zeros(bytes))]]),
  /** A directory of so many entries of one name length, in order. */
  tree: async (bytes: number) => packOf([[header('tree', bytes), await deflated(entries(bytes))]]),
  /** A file that is made of a small one, copied over and over. */
  delta: (bytes: number) => Promise.resolve(copiedPack(bytes)),
  /** A commit whose message is so long. */
  commit: async (bytes: number) => {
    const text = `tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\n`;
    return packOf([[header('commit', text.length + bytes), await deflated(followed(text, zeros(bytes, 'm')))]]);
  },
} as const;

function packOf(objects: readonly (readonly Buffer[])[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([head, ...objects.flat()]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Type and size of an object, as packs have them. */
function header(type: keyof typeof TYPES, size: number): Buffer {
  const bytes = [(TYPES[type] << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}

function* zeros(bytes: number, fill = '\0'): Generator<Buffer> {
  const piece = Buffer.alloc(MIB, fill);
  for (let left = bytes; left > 0; left -= MIB) yield left < MIB ? piece.subarray(0, left) : piece;
}

function* followed(first: string, rest: Iterable<Buffer>): Generator<Buffer> {
  yield Buffer.from(first);
  yield* rest;
}

/** Entries of 32 bytes: a mode, a name of four characters, and an object that is not there. */
function* entries(bytes: number): Generator<Buffer> {
  const count = Math.floor(bytes / 32);
  for (let at = 0; at < count; at += 32_768) {
    const piece = Buffer.alloc(32 * Math.min(32_768, count - at), 'x');
    for (let each = 0; each * 32 < piece.length; each += 1)
      piece.write(`100644 ${(at + each).toString(36).padStart(4, '0').slice(-4)}\0`, each * 32, 'latin1');
    yield piece;
  }
}

async function deflated(pieces: Iterable<Buffer>): Promise<Buffer> {
  const deflate = createDeflate({ level: constants.Z_BEST_SPEED, memLevel: 9 });
  const packed: Buffer[] = [];
  deflate.on('data', (piece: Buffer) => packed.push(piece));
  const ended = new Promise<void>((resolve) => deflate.on('end', resolve));
  for (const piece of pieces)
    if (!deflate.write(piece)) await new Promise<void>((resolve) => deflate.once('drain', resolve));
  deflate.end();
  await ended;
  return Buffer.concat(packed);
}

function copiedPack(bytes: number): Buffer {
  const base = Buffer.alloc(64 * 1_024, 'base');
  const first = [header('blob', base.length), deflateSync(base)];
  // Without offset and size it copies 64 KiB from the beginning.
  const copies = Math.floor(bytes / base.length);
  const delta = Buffer.concat([
    sizeOf(base.length),
    sizeOf(copies * base.length),
    ...Array.from({ length: copies }, () => Buffer.from([0x80])),
  ]);
  const offset = Buffer.concat(first).length;
  return packOf([first, [header('offsetDelta', delta.length), offsetOf(offset), deflateSync(delta)]]);
}

/** A size, as deltas have it. */
function sizeOf(size: number): Buffer {
  const bytes = [];
  let rest = size;
  do {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** How far back the base of a delta is. */
function offsetOf(distance: number): Buffer {
  const bytes = [distance % 128];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest % 128) | 128);
  }
  return Buffer.from(bytes);
}
