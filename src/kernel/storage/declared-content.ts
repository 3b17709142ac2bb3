import { Readable } from 'node:stream';
import { ApiError, EdgeIssues, type ErrorRow, issueAt } from '../errors/index.ts';
import { canBegin, HEAD_BYTES, isText, type MediaType } from './media-types.ts';
import { dropRest, piecesOf } from './upload-measure.ts';

/**
 * Passes on what the source gives as long as it can be of the type. It fails with the refusal where the beginning is
 * recognised as something else, or where text holds the character that no text holds, wherever that stands; so a store
 * that is given it keeps nothing. At most the beginning is held. The rest of a refused source is read and dropped.
 * (What the beginning is says `file-type`, where it can be recognised; it only looks, and knows nothing of texts.)
 */
export function asDeclared(source: Readable, mediaType: MediaType, refusal: ErrorRow): Readable {
  return Readable.from(likePieces(source, mediaType, refusal));
}

async function* likePieces(source: Readable, mediaType: MediaType, refusal: ErrorRow): AsyncGenerator<Buffer> {
  const watch = new Watch(mediaType, refusal);
  try {
    for await (const piece of piecesOf(source)) yield* await watch.passing(piece);
    yield* await watch.rest();
  } finally {
    dropRest(source);
  }
}

class Watch {
  /** Pieces of the beginning, until it is all there. */
  private beginning: Buffer[] | undefined = [];
  private beginningBytes = 0;
  private nuls: Nuls | undefined;

  constructor(
    private readonly mediaType: MediaType,
    private readonly refusal: ErrorRow,
  ) {}

  /** What may go on, now that this came. */
  async passing(piece: Buffer): Promise<readonly Buffer[]> {
    if (!this.beginning) return this.watched([piece]);
    this.beginning.push(piece);
    this.beginningBytes += piece.length;
    return this.beginningBytes < HEAD_BYTES ? [] : this.rest();
  }

  /** What is still held, where the source has ended or the beginning is long enough. */
  async rest(): Promise<readonly Buffer[]> {
    if (!this.beginning) return [];
    const pieces = this.beginning;
    this.beginning = undefined;
    const head = Buffer.concat(pieces).subarray(0, HEAD_BYTES);
    if (!(await canBegin(head, this.mediaType))) throw this.mismatch(`the bytes are not ${this.mediaType}`);
    if (isText(this.mediaType)) this.nuls = new Nuls(head);
    return this.watched(pieces);
  }

  private watched(pieces: readonly Buffer[]): readonly Buffer[] {
    if (pieces.some((piece) => this.nuls?.foundIn(piece)))
      throw this.mismatch(`the bytes hold a NUL, which ${this.mediaType} does not`);
    return pieces;
  }

  private mismatch(message: string): ApiError {
    return new ApiError(this.refusal, { issues: [issueAt('mediaType', EdgeIssues.mediaTypeMismatch, message)] });
  }
}

/** Looks for U+0000: a zero byte, and in UTF-16, which a byte order mark tells, two in one place, perhaps of two pieces. */
class Nuls {
  private readonly isUtf16: boolean;
  /** The first byte of a unit whose second one has not come yet. */
  private half = Buffer.alloc(0);

  constructor(head: Buffer) {
    this.isUtf16 = head.length >= 2 && [0xfeff, 0xfffe].includes(head.readUInt16BE());
  }

  foundIn(piece: Buffer): boolean {
    if (!this.isUtf16) return piece.includes(0);
    const bytes = this.half.length === 0 ? piece : Buffer.concat([this.half, piece]);
    const end = bytes.length - (bytes.length % 2);
    this.half = Buffer.from(bytes.subarray(end));
    for (let at = 0; at < end; at += 2) if (bytes[at] === 0 && bytes[at + 1] === 0) return true;
    return false;
  }
}
