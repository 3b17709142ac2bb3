import { EXAMPLES } from './parsers.ts';
import { unusable } from './setting.ts';

/** One key that signs capabilities: the id that tokens carry, and the 32-byte seed of an Ed25519 key. */
export interface CapabilityKey {
  readonly kid: string;
  readonly seed: Buffer;
}

const FORM = '<kid>:<base64url of 32 random bytes, 43 characters>';
const KID = /^[A-Za-z0-9_-]{1,32}$/;
const SEED_BYTES = 32;

/** The keys of the Ed25519 examples in RFC 8032 and RFC 8037. */
const PUBLISHED = new Set([
  'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  'TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs',
  'xaqN9D-fg3vttQvMdy3sWbThTUHb4uwdLghSWtUbRPc',
  '9eV2fPFTMUXYw8iaHawG4IFpU7IwFvBBzXPiif8X1-U',
]);

/**
 * Parses comma-separated keys, the newest first: the first one signs and all verify, so that two overlap during a
 * rotation.
 */
export function capabilityKeys(text: string | undefined): readonly CapabilityKey[] | undefined {
  if (text === undefined) return undefined;
  const keys = text.split(',').map((part) => capabilityKey(part.trim()));
  if (keys.some(({ seed }) => isExample(seed))) unusable('contains a known example value; use 32 random bytes');
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length)
    unusable('gives two keys the same kid; give each its own');
  return keys;
}

function capabilityKey(text: string): CapabilityKey {
  const [kid = '', encoded = '', ...rest] = text.split(':');
  const seed = Buffer.from(encoded, 'base64url');
  // Decoding is lenient: text that does not encode back to itself was cut off or uses another alphabet.
  const whole = seed.length === SEED_BYTES && seed.toString('base64url') === encoded;
  if (!KID.test(kid) || !whole || rest.length > 0) unusable(`must be ${FORM}, comma-separated`);
  return { kid, seed };
}

/** Random bytes are almost never all printable, nor fewer than 16 different ones. */
function isExample(seed: Buffer): boolean {
  const encoded = seed.toString('base64url');
  return (
    EXAMPLES.test(encoded) ||
    PUBLISHED.has(encoded) ||
    /^[\x20-\x7e]+$/.test(seed.toString('latin1')) ||
    new Set(seed).size < SEED_BYTES / 2 ||
    seed.every((byte, at) => at === 0 || byte === (seed[at - 1]! + 1) % 256)
  );
}
