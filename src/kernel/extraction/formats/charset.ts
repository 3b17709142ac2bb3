import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import { alphabeticPlausibility, eastAsianPlausibility } from './plausibility.ts';

export interface Charset {
  /** A label of the Encoding Standard. */
  readonly label: string;
  /** Whether nothing but statistics speaks for it, or statistics do not agree on it. */
  readonly isGuessed: boolean;
}

/** For whatever looks for signs of a charset. */
const SAMPLE_BYTES = 64 * 1_024;
/** A multi-byte charset with at least this confidence, whose decoder accepts all bytes, is no guess. */
const CONFIDENT = 0.5;
/** What the confidence of statistics counts beside the plausibility of the text. */
const VOICE = 0.2;
/** What the charset of most Western text has before its likes, as so few characters cannot tell them apart. */
const PREFERENCE = 0.06;
const FEW = 3;
/** A piece that is decoded at once. */
const PIECE_BYTES = 1_024 * 1_024;

const BOMS = [
  { label: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { label: 'utf-16le', bytes: [0xff, 0xfe] },
  { label: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

const MULTI_BYTE = new Set(['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr']);
/** Single-byte charsets that are tried even if statistics do not name them. */
const SINGLE_BYTE = ['windows-1252', 'windows-1251', 'koi8-r'];

/**
 * The charset of text: by byte order mark, the zero bytes of UTF-16, strict UTF-8, what the text itself declares,
 * the most plausible of those in which it can be, or windows-1252. Undefined for what is no text.
 */
export function charsetOf(bytes: Buffer, declared?: string): Charset | undefined {
  const marked = BOMS.find(({ bytes: mark }) => mark.every((byte, index) => bytes[index] === byte));
  if (marked) return { label: marked.label, isGuessed: false };
  if (bytes.includes(0)) {
    const label = utf16Of(bytes);
    return label === undefined ? undefined : { label, isGuessed: false };
  }
  // Its bytes are ASCII, with escape sequences between.
  if (bytes.includes(0x1b) && [...statistics(sampleOf(bytes)).keys()][0] === 'iso-2022-jp')
    return { label: 'iso-2022-jp', isGuessed: false };
  if (isUtf8(bytes)) return { label: 'utf-8', isGuessed: false };
  if (hasBinaryControls(bytes)) return undefined;
  const own = declared === undefined ? undefined : labelOf(declared);
  if (own !== undefined && own !== 'utf-8' && !own.startsWith('utf-16') && decodes(bytes, own))
    return { label: own, isGuessed: false };
  return mostPlausible(bytes);
}

/**
 * Statistics of short text fail often, so they are one voice: the other is whether the text reads like one. Single-byte
 * charsets accept nearly any bytes, so they count only as far as their words could be some.
 */
function mostPlausible(bytes: Buffer): Charset {
  const sample = sampleOf(bytes);
  const confidences = statistics(sample);
  const preference = sample.filter((byte) => byte > 0x7f).length <= FEW ? PREFERENCE : 0;
  const scores = [...new Set([...confidences.keys(), ...SINGLE_BYTE, ...MULTI_BYTE])].flatMap((label) => {
    const text = strictly(label, sample);
    if (text === undefined) return [];
    const plausibility = MULTI_BYTE.has(label) ? eastAsianPlausibility(text) : alphabeticPlausibility(text);
    const voice = VOICE * (confidences.get(label) ?? 0);
    return [{ label, score: plausibility + voice + (label === 'windows-1252' ? preference : 0) }];
  });
  const label = scores
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .find((each) => decodes(bytes, each.label))?.label;
  if (label === undefined) return { label: 'windows-1252', isGuessed: true };
  return { label, isGuessed: !MULTI_BYTE.has(label) || (confidences.get(label) ?? 0) < CONFIDENT };
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

/** From a little before the first byte beyond ASCII, which begins a character in every charset. */
function sampleOf(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const begin = first < SAMPLE_BYTES / 2 ? 0 : first - SAMPLE_BYTES / 2;
  return bytes.subarray(begin, begin + SAMPLE_BYTES);
}

/** What statistics say of charsets, between 0 and 1, the likeliest first. */
function statistics(sample: Buffer): ReadonlyMap<string, number> {
  const confidences = new Map<string, number>();
  for (const { name, confidence } of analyse(sample)) {
    const label = labelOf(name);
    if (label !== undefined && !label.startsWith('utf-') && !confidences.has(label))
      confidences.set(label, confidence / 100);
  }
  return confidences;
}

function labelOf(name: string): string | undefined {
  try {
    return new TextDecoder(name.trim()).encoding;
  } catch {
    return undefined;
  }
}

/** The text of a sample, whose end may split a character. */
function strictly(label: string, sample: Buffer): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(sample, { stream: true });
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
