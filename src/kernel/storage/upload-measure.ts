import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../errors/index.ts';
import type { StoredBytes, UploadLimits } from './object-store.ts';

/** Counts and digests the bytes of an upload, and refuses what exceeds its limits. */
export class UploadMeasure {
  private readonly hash = createHash('sha256');
  private sizeBytes = 0;

  constructor(private readonly limits: UploadLimits) {}

  take(piece: Buffer): void {
    this.sizeBytes += piece.length;
    if (this.sizeBytes > this.limits.maxBytes) throw new ApiError(this.limits.tooLarge ?? EdgeErrors.payloadTooLarge);
    this.hash.update(piece);
  }

  /** Returns size and digest, once all bytes were taken. */
  finish(): StoredBytes {
    const stored = { sizeBytes: this.sizeBytes, sha256: this.hash.digest('hex') };
    if (this.limits.sha256 !== undefined && stored.sha256 !== this.limits.sha256)
      throw invalid(
        'sha256',
        EdgeIssues.digestMismatch,
        'is not the digest of the bytes that arrived; send them again',
      );
    return stored;
  }
}

/**
 * Iterates without destroying the source on a refusal, because destroying a request's body closes the connection that
 * the refusal is sent on.
 */
export function piecesOf(source: Readable): AsyncIterable<Buffer> {
  return source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

/**
 * Reads and drops the rest, so that a client that is still sending gets the refusal. Ignores errors, which no longer
 * matter.
 */
export function dropRest(source: Readable): void {
  source.on('error', () => undefined).resume();
}
