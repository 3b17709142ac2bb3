import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../errors/index.ts';
import type { StoredBytes, UploadLimits } from './object-store.ts';

/** Counts and digests what a store is given, and refuses what its limits do not allow. */
export class UploadMeasure {
  private readonly hash = createHash('sha256');
  private sizeBytes = 0;

  constructor(private readonly limits: UploadLimits) {}

  take(piece: Buffer): void {
    this.sizeBytes += piece.length;
    if (this.sizeBytes > this.limits.maxBytes) throw new ApiError(this.limits.tooLarge ?? EdgeErrors.payloadTooLarge);
    this.hash.update(piece);
  }

  /** Once it was all. */
  finish(): StoredBytes {
    const stored = { sizeBytes: this.sizeBytes, sha256: this.hash.digest('hex') };
    if (this.limits.sha256 !== undefined && stored.sha256 !== this.limits.sha256)
      throw invalid('sha256', EdgeIssues.digestMismatch, 'is not the digest of the bytes that arrived');
    return stored;
  }
}

/** Not destroyed when it is refused: with a request's body would go the connection that the refusal is answered on. */
export function piecesOf(source: Readable): AsyncIterable<Buffer> {
  return source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

/** Reads the rest, so that a client that is still sending hears of the refusal. What fails now matters to nobody. */
export function dropRest(source: Readable): void {
  source.on('error', () => undefined).resume();
}
