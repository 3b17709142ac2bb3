import type { Readable } from 'node:stream';
import type { ConfigError } from '../../config/index.ts';
import type { ErrorRow } from '../errors/index.ts';

/** Bytes from `start` to `end`, both included, as HTTP counts them. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface UploadLimits {
  /** More bytes are refused while they arrive. */
  readonly maxBytes: number;
  /** The refusal; 413 `payload_too_large` by default. */
  readonly tooLarge?: ErrorRow;
  /**
   * The digest that the bytes must have, hexadecimal in lower case; for another one 400 `digest_mismatch` at `sha256`.
   */
  readonly sha256?: string;
}

export interface StoredBytes {
  readonly sizeBytes: number;
  /** Hexadecimal, in lower case. */
  readonly sha256: string;
}

export interface OpenedBytes {
  /** The requested range, or everything. The receiver must read it to its end or destroy it. */
  readonly stream: Readable;
  /** The size of the whole object, whatever the range. */
  readonly sizeBytes: number;
}

/**
 * Age after which the process that began an upload must have died, because the edge limits an upload to half an hour.
 */
export const LEFT_BEHIND_MS = 60 * 60 * 1000;

export interface ListedObject {
  readonly key: string;
  /** The time of storing, by the clock of the store. */
  readonly storedAt: Date;
}

/**
 * The store of bytes, as a port. Keys are segments of `a-z 0-9 . _ -` joined by `/`; no key is a folder of another
 * key's path. Objects of an organization have keys under `organizations/<id>/`, which the purge removes.
 *
 * Has only methods that a folder and an S3-compatible store can both implement: none renames, appends or locks.
 */
export abstract class ObjectStore {
  /**
   * Stores the bytes of the source under a key that may exist; readers see the old bytes or the new ones, never a
   * mixture. Acknowledged bytes are durable; a source that fails, is too large or has another digest changes nothing.
   * Reads and drops the rest of a refused source, so that a client that is still sending gets the refusal.
   */
  abstract put(key: string, source: Readable, limits: UploadLimits): Promise<StoredBytes>;

  /** Opens an object, or a range of it, which must lie inside. Undefined if there is no such object. */
  abstract open(key: string, range?: ByteRange): Promise<OpenedBytes | undefined>;

  abstract stat(key: string): Promise<{ readonly sizeBytes: number } | undefined>;

  /** Removes an object, if it exists. */
  abstract delete(key: string): Promise<void>;

  /** Removes everything under `<prefix>/`. Objects that are put there meanwhile may remain. */
  abstract deletePrefix(prefix: string): Promise<void>;

  /** Lists everything under `<prefix>/`, in no order. */
  abstract list(prefix: string): AsyncIterable<ListedObject>;

  /** Checks that bytes can be stored; rejects if not. */
  abstract check(): Promise<void>;

  /** Makes what must be there before the first object, and returns how to take that back if it was not there. */
  prepare(): () => void {
    return () => undefined;
  }

  /** Names the setting to correct after a method failed. */
  abstract explain(error: unknown): ConfigError;
}
