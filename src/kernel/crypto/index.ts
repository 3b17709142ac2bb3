/**
 * Guarantees: digests of JSON are taken over its canonical form (RFC 8785), so that equal values have equal digests;
 * secrets are compared in constant time.
 * Refuses: to store a bearer token; only its SHA-256 is stored.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * Hashes to text first, because Node would allocate separate memory for each buffer (measured: 2 µs instead of 0.5).
 */
export function sha256(bytes: string | Buffer): Buffer {
  return Buffer.from(hash('sha256', bytes, 'latin1'), 'latin1');
}

/**
 * SHA-256 of the value's canonical JSON, as 64 hexadecimal characters. Ignores properties that are undefined, as JSON
 * does.
 */
export function canonicalDigest(value: unknown): string {
  return hash('sha256', canonicalText(value), 'hex');
}

/** The value as canonical JSON (RFC 8785). */
export function canonicalText(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form.');
  return text;
}

/** 256 random bits in base64url. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Secrets of the deployment, with which tokens of callers are compared. Keeps only their digests. */
export class Secrets {
  private readonly digests: readonly Buffer[];

  constructor(secrets: readonly string[]) {
    this.digests = secrets.map(sha256);
  }

  /** Whether the text with this SHA-256 is one of them; takes the same time whichever it is, or if none. */
  include(digest: Buffer): boolean {
    let found = false;
    for (const each of this.digests) if (timingSafeEqual(digest, each)) found = true;
    return found;
  }
}
