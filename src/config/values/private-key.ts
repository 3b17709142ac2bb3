import { createPrivateKey, type KeyObject } from 'node:crypto';
import { unusable } from './setting.ts';

const LEAST_BITS = 2_048;

/** Parses an RSA key in PEM, whose lines may be joined by `\n` as two characters. */
export function rsaPrivateKey(text: string | undefined): KeyObject | undefined {
  if (text === undefined) return undefined;
  const key = keyOf(text.replaceAll(String.raw`\n`, '\n'));
  if (key?.asymmetricKeyType !== 'rsa') return unusable('must be a private RSA key in PEM, without a password');
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS) unusable(`must have ${LEAST_BITS} bits or more`);
  return key;
}

function keyOf(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
