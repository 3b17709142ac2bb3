import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FoundImage } from './icon.queries.ts';
import { LOOKUP } from './icon.policy.ts';
import { isHarmlessSvg } from './svg.policy.ts';

/** Types of images as `file-type` names them, and as they are sent. */
const IMAGES: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'image/apng': 'image/apng',
  'image/webp': 'image/webp',
  'image/avif': 'image/avif',
  'image/jpeg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/bmp': 'image/bmp',
  'image/x-icon': 'image/x-icon',
};
/** Its bytes are UTF-8, whatever a declaration inside of it says. */
const SVG = 'image/svg+xml; charset=utf-8';

/** Bytes as the image that they are, whatever they were called; undefined if they are none that is shown. */
export async function imageOf(bytes: Buffer): Promise<FoundImage | undefined> {
  if (bytes.length === 0 || bytes.length > LOOKUP.imageBytes) return undefined;
  const mediaType = isMarkup(bytes) ? svgType(bytes) : await rasterType(bytes);
  if (mediaType === undefined) return undefined;
  return { mediaType, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** The bytes of a `data:` address of an image. */
export function imageOfData(url: string): Promise<FoundImage | undefined> {
  const [, parameters, data = ''] = /^data:image\/([^,]{1,100}),(.*)$/s.exec(url) ?? [];
  // Base64 takes four bytes for three.
  if (parameters === undefined || data.length > LOOKUP.imageBytes * 4) return Promise.resolve(undefined);
  return imageOf(bytesOf(data, /;\s*base64\s*$/i.test(parameters)));
}

function bytesOf(data: string, isBase64: boolean): Buffer {
  try {
    const text = decodeURIComponent(data);
    return isBase64 ? Buffer.from(text, 'base64') : Buffer.from(text);
  } catch {
    return Buffer.alloc(0);
  }
}

function isMarkup(bytes: Buffer): boolean {
  return /^(?:\u00ef\u00bb\u00bf)?\s*</.test(bytes.toString('latin1', 0, 1_024));
}

function svgType(bytes: Buffer): string | undefined {
  return isUtf8(bytes) && isHarmlessSvg(bytes.toString()) ? SVG : undefined;
}

/** The library costs 12 MB, so it is loaded at the first image. */
async function rasterType(bytes: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined);
  return found && IMAGES[found.mime];
}
