import { type Charset, charsetOf } from '../text/index.ts';
import type { Format, RealType } from './reader.ts';

/** Of text, whatever is declared is believed, but HTML that says so itself. */
const TEXTS: Readonly<Record<string, Format>> = {
  'text/plain': 'plain',
  'text/markdown': 'plain',
  'text/csv': 'csv',
  'application/json': 'plain',
  'text/html': 'html',
};

export async function realTypeOf(bytes: Buffer, declared: string): Promise<RealType> {
  if (bytes.length === 0) return { mediaType: null, isMismatch: false, unreadable: 'empty_file' };
  const charset = charsetOf(bytes, declared === 'text/html' ? declaredIn(bytes) : undefined);
  if (charset !== undefined) return textType(declared, charset);
  return { mediaType: null, isMismatch: true, unreadable: 'no_text' };
}

function textType(declared: string, charset: Charset): RealType {
  const format = TEXTS[declared];
  if (format !== undefined) return { mediaType: declared, isMismatch: false, format, charset };
  return { mediaType: 'text/plain', isMismatch: true, format: 'plain', charset };
}

/** The charset that a page declares in its beginning. */
function declaredIn(bytes: Buffer): string | undefined {
  return /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(bytes.toString('latin1', 0, 4_096))?.[1];
}
