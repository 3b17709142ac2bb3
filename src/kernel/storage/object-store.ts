import type { Readable } from 'node:stream';
import type { ErrorRow } from '../errors/index.ts';

/** Bytes from `start` to `end`, both included, as HTTP counts them. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface UploadLimits {
  /** More than this is refused, noticed while the bytes arrive. */
  readonly maxBytes: number;
  /** What it is refused with; 413 `payload_too_large` where a family has no code of its own. */
  readonly tooLarge?: ErrorRow;
  /** The digest that the bytes must have, hexadecimal in lower case; another one is 400 `digest_mismatch` at `sha256`. */
  readonly sha256?: string;
}

export interface StoredBytes {
  readonly sizeBytes: number;
  /** Hexadecimal, in lower case. */
  readonly sha256: string;
}

export interface OpenedBytes {
  /** The range that was asked for, or everything. Whoever takes it reads it to its end or destroys it. */
  readonly stream: Readable;
  /** Of the whole object, whatever the range. */
  readonly sizeBytes: number;
}

/** No upload takes this long, since the edge gives it half an hour: whoever began it has died. */
export const LEFT_BEHIND_MS = 60 * 60 * 1000;

export interface ListedObject {
  readonly key: string;
  /** By the clock of the store. */
  readonly storedAt: Date;
}

/**
 * Where bytes are kept: a port. Keys are segments of `a-z 0-9 . _ -` joined by `/`; no key is the beginning of another
 * one's path. What belongs to an organization stands under `organizations/<id>/`, and the purge removes it there.
 *
 * Every method is what a folder and an S3-compatible store both can do; nothing renames, appends or locks.
 */
export abstract class ObjectStore {
  /**
   * Stores what the source gives, under a key that may exist: readers see the old bytes or the new ones, never a mixture.
   * What was acknowledged is durable; a source that fails, is too large or has another digest changes nothing. The rest
   * of a refused source is read and dropped, so that a client that is still sending hears of it.
   */
  abstract put(key: string, source: Readable, limits: UploadLimits): Promise<StoredBytes>;

  /** Opens an object, or the part of it that lies in the range, which must be inside. Undefined where there is none. */
  abstract open(key: string, range?: ByteRange): Promise<OpenedBytes | undefined>;

  abstract stat(key: string): Promise<{ readonly sizeBytes: number } | undefined>;

  /** Removes an object; one that is not there is removed already. */
  abstract delete(key: string): Promise<void>;

  /** Removes everything under `<prefix>/`. What is put there meanwhile may stay. */
  abstract deletePrefix(prefix: string): Promise<void>;

  /** Everything under `<prefix>/`, in no order. */
  abstract list(prefix: string): AsyncIterable<ListedObject>;

  /** Rejects while nothing can be stored. */
  abstract check(): Promise<void>;
}
