/**
 * Guarantees: digests of JSON are taken over its canonical form (RFC 8785), so equal values have equal digests;
 * secrets are compared in constant time.
 * Refuses: keeping a bearer token: only its SHA-256 is ever stored.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import canonicalize from 'canonicalize';

export function sha256(bytes: string | Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/**
 * SHA-256 of the value's canonical JSON, as 64 hexadecimal characters. Keys that a validated class carries as undefined are
 * none, as in JSON.
 */
export function canonicalDigest(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Only JSON values have a canonical digest.');
  return sha256(text).toString('hex');
}

/** 256 random bits in base64url. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether `candidate` is one of `secrets`; takes the same time whichever it is, or none. */
export function isOneOf(candidate: string, secrets: readonly string[]): boolean {
  const digest = sha256(candidate);
  let found = false;
  for (const secret of secrets) if (timingSafeEqual(digest, sha256(secret))) found = true;
  return found;
}
