import { setImmediate as turn } from 'node:timers/promises';
import type { SuccessEnvelope } from './envelope.ts';

const DATA = '"data":[';

/**
 * Serialises a large page row by row and frees the event loop in between: 4 MB at once block all requests for 15 to 50
 * ms, one row for a few. (`json-stream-stringify` walks each value in JavaScript, which takes about twice as long, and
 * cannot leave out what is not declared.)
 */
export async function slicedJson(
  envelope: SuccessEnvelope & { readonly data: readonly unknown[] },
  serialize: (envelope: SuccessEnvelope) => string,
): Promise<Buffer> {
  const frame = serialize({ ...envelope, data: [] });
  // Quotes inside texts are escaped, so this finds the property.
  const at = frame.indexOf(DATA) + DATA.length;
  const parts = [Buffer.from(frame.slice(0, at))];
  for (const [index, item] of envelope.data.entries()) {
    const row = serialize({ ...envelope, data: [item] }).slice(at, at - frame.length);
    parts.push(Buffer.from(index === 0 ? row : `,${row}`));
    await turn();
  }
  parts.push(Buffer.from(frame.slice(at)));
  return Buffer.concat(parts);
}
