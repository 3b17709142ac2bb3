import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';

export interface Charset {
  /** A label of the Encoding Standard. */
  readonly label: string;
  /** Whether nothing but the statistics of a single-byte charset speaks for it. */
  readonly isGuessed: boolean;
}

/** Of a file's beginning, for whatever looks for signs of a charset. */
const SAMPLE_BYTES = 64 * 1_024;
/** A multi-byte charset with at least this confidence in percent, whose decoder accepts all bytes, is no guess. */
const CONFIDENT = 50;
/** A piece that is decoded at once. */
const PIECE_BYTES = 1_024 * 1_024;

const BOMS = [
  { label: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { label: 'utf-16le', bytes: [0xff, 0xfe] },
  { label: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

const MULTI_BYTE = new Set(['shift_jis', 'euc-jp', 'iso-2022-jp', 'euc-kr', 'big5', 'gb18030', 'gbk']);

/**
 * The charset of text: by byte order mark, the zero bytes of UTF-16, strict UTF-8, what the text itself declares,
 * statistics, or windows-1252. Undefined for what is no text.
 */
export function charsetOf(bytes: Buffer, declared?: string): Charset | undefined {
  const marked = BOMS.find(({ bytes: mark }) => mark.every((byte, index) => bytes[index] === byte));
  if (marked) return { label: marked.label, isGuessed: false };
  if (bytes.includes(0)) {
    const label = utf16Of(bytes);
    return label === undefined ? undefined : { label, isGuessed: false };
  }
  // Its bytes are ASCII, with escape sequences between.
  if (bytes.includes(0x1b) && statistics(bytes)[0]?.label === 'iso-2022-jp')
    return { label: 'iso-2022-jp', isGuessed: false };
  if (isUtf8(bytes)) return { label: 'utf-8', isGuessed: false };
  if (hasBinaryControls(bytes)) return undefined;
  const own = declared === undefined ? undefined : labelOf(declared);
  if (own !== undefined && own !== 'utf-8' && !own.startsWith('utf-16') && decodes(bytes, own))
    return { label: own, isGuessed: false };
  for (const { label, confidence } of statistics(bytes)) {
    if (!decodes(bytes, label)) continue;
    return { label, isGuessed: !MULTI_BYTE.has(label) || confidence < CONFIDENT };
  }
  return { label: 'windows-1252', isGuessed: true };
}

/** The text in pieces. */
export function* textOf(bytes: Buffer, label: string): Generator<string> {
  const decoder = new TextDecoder(label);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true });
  yield decoder.decode();
}

/** UTF-16 of mostly Latin text has a zero in nearly every unit, always at the same place. */
function utf16Of(bytes: Buffer): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]! += 1;
  const units = sample.length / 2;
  const [high, low] = zeros as [number, number];
  const label = low > units * 0.3 && high < units * 0.01 ? 'utf-16le' : undefined;
  return label ?? (high > units * 0.3 && low < units * 0.01 ? 'utf-16be' : undefined);
}

/** Controls that no text in a single-byte charset has. */
function hasBinaryControls(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample)
    if (byte < 0x20 && ![0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b].includes(byte)) controls += 1;
  return controls > sample.length * 0.001;
}

function statistics(bytes: Buffer): readonly { readonly label: string; readonly confidence: number }[] {
  return analyse(bytes.subarray(0, SAMPLE_BYTES)).flatMap(({ name, confidence }) => {
    const label = labelOf(name);
    return label === undefined || label === 'utf-8' || label.startsWith('utf-') ? [] : [{ label, confidence }];
  });
}

function labelOf(name: string): string | undefined {
  try {
    return new TextDecoder(name.trim()).encoding;
  } catch {
    return undefined;
  }
}

function decodes(bytes: Buffer, label: string): boolean {
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}
