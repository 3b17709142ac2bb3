import type { FastifyReply, FastifyRequest } from 'fastify';
import { names } from './byte-answer.ts';

/** What the handler of a `picture` route returns for GET and HEAD. */
export interface Picture {
  /** Undefined if there is none: 204. */
  readonly image: PictureBytes | undefined;
  /** How long the caller's own cache may keep this answer, also that there is none. */
  readonly maxAgeSeconds: number;
}

interface PictureBytes {
  /** By what the bytes are; browsers are told not to guess another one. */
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** Hexadecimal; also its strong ETag. */
  readonly sha256: string;
}

/** The types in which pictures are sent. */
export const PICTURE_TYPES = [
  'image/png',
  'image/apng',
  'image/webp',
  'image/avif',
  'image/jpeg',
  'image/gif',
  'image/bmp',
  'image/x-icon',
  'image/svg+xml',
] as const;

/** A picture may be one that strangers drew: opened by itself, it runs nothing and loads nothing. */
const HEADERS = {
  'content-disposition': 'inline',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

/** Sets status and headers and returns the bytes of a picture that is shown in place; none for 204, 304 and HEAD. */
export function answerPicture(
  { image, maxAgeSeconds }: Picture,
  request: FastifyRequest,
  reply: FastifyReply,
): Buffer | undefined {
  void reply.header('cache-control', `private, max-age=${maxAgeSeconds}`);
  if (!image) {
    void reply.code(204);
    return undefined;
  }
  const etag = `"${image.sha256}"`;
  void reply.header('etag', etag);
  if (names(request.headers['if-none-match'], etag)) {
    void reply.code(304);
    return undefined;
  }
  void reply.headers({ ...HEADERS, 'content-type': image.mediaType, 'content-length': image.bytes.length });
  return request.method === 'HEAD' ? undefined : image.bytes;
}
