const HEADER_BYTES = 12;
const SUM_BYTES = 20;

/** Says how many objects a pack has by its header; undefined where it is none of version 2 or 3. */
export function objectsIn(header: Buffer): number | undefined {
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 4) !== 'PACK') return undefined;
  const version = header.readUInt32BE(4);
  return version === 2 || version === 3 ? header.readUInt32BE(8) : undefined;
}

/** Keeps the first bytes of a stream until there are enough for a header. */
export class HeaderReader {
  private readonly pieces: Buffer[] = [];
  private size = 0;
  private isWhole = false;

  /** The header with its first bytes, once. */
  add(bytes: Buffer): Buffer | undefined {
    if (this.isWhole) return undefined;
    this.pieces.push(bytes);
    this.size += bytes.length;
    if (this.size < HEADER_BYTES) return undefined;
    this.isWhole = true;
    return Buffer.concat(this.pieces).subarray(0, HEADER_BYTES);
  }
}

/** Keeps the last bytes of a stream, in which a pack has the sum that it is known by. */
export class TrailerReader {
  private last: Buffer = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.last = Buffer.from(Buffer.concat([this.last, bytes.subarray(-SUM_BYTES)]).subarray(-SUM_BYTES));
  }

  get sum(): string {
    return this.last.toString('hex');
  }
}
