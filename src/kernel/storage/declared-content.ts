import { Readable } from 'node:stream';
import { ApiError, EdgeIssues, type ErrorRow, issueAt } from '../errors/index.ts';
import { canBegin, HEAD_BYTES, isText, type MediaType } from './media-types.ts';
import { dropRest, piecesOf } from './upload-measure.ts';

/**
 * Passes the source on while it can be of the declared type. Fails with `refusal` if its beginning is recognised as
 * another type, or if text contains NUL anywhere, so that the store keeps nothing. Holds at most the beginning in
 * memory. Reads and drops the rest of a refused source. (`file-type` recognises the beginning; it detects types only,
 * and knows nothing of text.)
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
  /** Pieces of the beginning, until it is complete. */
  private beginning: Buffer[] | undefined = [];
  private beginningBytes = 0;
  private nuls: Nuls | undefined;

  constructor(
    private readonly mediaType: MediaType,
    private readonly refusal: ErrorRow,
  ) {}

  /** The pieces that may be passed on after this one arrived. */
  async passing(piece: Buffer): Promise<readonly Buffer[]> {
    if (!this.beginning) return this.watched([piece]);
    this.beginning.push(piece);
    this.beginningBytes += piece.length;
    return this.beginningBytes < HEAD_BYTES ? [] : this.rest();
  }

  /** The pieces that are still held; called when the source has ended or the beginning is long enough. */
  async rest(): Promise<readonly Buffer[]> {
    if (!this.beginning) return [];
    const pieces = this.beginning;
    this.beginning = undefined;
    const head = Buffer.concat(pieces).subarray(0, HEAD_BYTES);
    if (!(await canBegin(head, this.mediaType)))
      throw this.mismatch(`the bytes are not ${this.mediaType}; declare their real type`);
    if (isText(this.mediaType)) this.nuls = new Nuls(head);
    return this.watched(pieces);
  }

  private watched(pieces: readonly Buffer[]): readonly Buffer[] {
    if (pieces.some((piece) => this.nuls?.foundIn(piece)))
      throw this.mismatch(`the bytes contain NUL, which ${this.mediaType} must not`);
    return pieces;
  }

  private mismatch(message: string): ApiError {
    return new ApiError(this.refusal, { issues: [issueAt('mediaType', EdgeIssues.mediaTypeMismatch, message)] });
  }
}

/**
 * Finds U+0000: a zero byte or, in UTF-16 (recognised by its byte order mark), a unit of two zero bytes, which two
 * pieces may split.
 */
class Nuls {
  private readonly isUtf16: boolean;
  /** The first byte of a unit whose second byte has not arrived yet. */
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
