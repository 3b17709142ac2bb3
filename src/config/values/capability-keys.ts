import { EXAMPLES } from './parsers.ts';
import { unusable } from './setting.ts';

/** One key that signs capabilities: the id that tokens carry, and the 32-byte seed of an Ed25519 key. */
export interface CapabilityKey {
  readonly kid: string;
  readonly seed: Buffer;
}

/** A key of a setting with the name that tells it from the others. */
interface NamedKey {
  readonly name: string;
  readonly bytes: Buffer;
}

const FORM = '<base64url of 32 random bytes, 43 characters>';
const NAME = /^[A-Za-z0-9_-]{1,32}$/;
const KEY_BYTES = 32;

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
  return namedKeys('kid', text)?.map(({ name, bytes }) => ({ kid: name, seed: bytes }));
}

/** Parses comma-separated keys of 32 random bytes, each behind its name; `what` names the name. */
export function namedKeys(what: string, text: string | undefined): readonly NamedKey[] | undefined {
  if (text === undefined) return undefined;
  const keys = text.split(',').map((part) => namedKey(what, part.trim()));
  if (keys.some(({ bytes }) => isExample(bytes))) unusable('contains a known example value; use 32 random bytes');
  if (new Set(keys.map(({ name }) => name)).size < keys.length)
    unusable(`gives two keys the same ${what}; give each its own`);
  return keys;
}

function namedKey(what: string, text: string): NamedKey {
  const [name = '', encoded = '', ...rest] = text.split(':');
  const bytes = Buffer.from(encoded, 'base64url');
  // Decoding is lenient: text that does not encode back to itself was cut off or uses another alphabet.
  const whole = bytes.length === KEY_BYTES && bytes.toString('base64url') === encoded;
  if (!NAME.test(name) || !whole || rest.length > 0) unusable(`must be <${what}>:${FORM}, comma-separated`);
  return { name, bytes };
}

/** Random bytes are almost never all printable, nor fewer than 16 different ones. */
function isExample(bytes: Buffer): boolean {
  const encoded = bytes.toString('base64url');
  return (
    EXAMPLES.test(encoded) ||
    PUBLISHED.has(encoded) ||
    /^[\x20-\x7e]+$/.test(bytes.toString('latin1')) ||
    new Set(bytes).size < KEY_BYTES / 2 ||
    bytes.every((byte, at) => at === 0 || byte === (bytes[at - 1]! + 1) % 256)
  );
}
