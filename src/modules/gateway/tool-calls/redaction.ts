const REDACTED = '[redacted]';
/** Shorter texts would be found in what has nothing to do with them. */
const SHORTEST = 4;

/**
 * The output with every form of these secrets replaced: plain, as JSON has it, percent-encoded and in base64, whatever
 * stands around them there. Nothing else is touched; without a find it is the same object.
 */
export function withoutSecrets<Output>(output: Output, secrets: readonly string[]): Output {
  const forms = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf);
  if (forms.length === 0) return output;
  // The longest first, so that no form is cut by one that is a part of it.
  const pattern = new RegExp(
    forms
      .toSorted((a, b) => b.length - a.length)
      .map(escaped)
      .join('|'),
    'g',
  );
  return replaced(output, pattern) as Output;
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const bytes = Buffer.from(secret);
  const texts = [0, 1, 2].flatMap((before) => [
    inBase64(bytes, before, 'base64'),
    inBase64(bytes, before, 'base64url'),
  ]);
  return [
    ...new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encoded,
      encoded.replaceAll(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()),
      ...texts,
    ]),
  ].filter(({ length }) => length >= SHORTEST);
}

/** The characters of a base64 text that depend on the secret alone, where this many bytes modulo 3 stand before it. */
function inBase64(secret: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(before), secret])
    .toString(encoding)
    .replaceAll('=', '');
  const whole = Math.floor(((before + secret.length) * 8) / 6);
  return text.slice(Math.ceil((before * 8) / 6), whole);
}

function replaced(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return value.replaceAll(pattern, REDACTED);
  if (Array.isArray(value)) {
    const items = value.map((item) => replaced(item, pattern));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const after = entries.map(([key, member]) => [key.replaceAll(pattern, REDACTED), replaced(member, pattern)] as const);
  const isSame = after.every(([key, member], index) => key === entries[index]![0] && member === entries[index]![1]);
  return isSame ? value : Object.fromEntries(after);
}

/** As a part of a pattern. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
