import type { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import type { ByteRange, OpenedBytes } from '../../storage/index.ts';
import { rangeOf } from './byte-range.ts';
import { attachment } from './content-disposition.ts';

/** What the handler of a `bytes` route returns for GET and HEAD: what is known about a file, and how to open it. */
export interface ByteAnswer {
  readonly sizeBytes: number;
  /** SHA-256 of the whole file, hexadecimal; also its strong ETag. */
  readonly sha256: string;
  readonly mediaType: string;
  /** The name that clients are offered for saving it. */
  readonly fileName: string;
  /** Opens the bytes as `ObjectStore.open` does; not called when no bytes are to be sent. */
  open(range?: ByteRange): Promise<OpenedBytes | undefined>;
  /** What is answered where the store has no bytes or another number of them; 500 without it. */
  damaged?(): ApiError;
}

/** Only this caller's cache may keep it, and must ask again before each use, because access may have been revoked. */
const CACHE_CONTROL = 'private, no-cache';
const logger = new Logger('Bytes');
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/**
 * Sets status and headers and returns the bytes to stream: all of them, one range (206), or none (304, and for HEAD).
 * Throws 412 when the file no longer matches `If-Match`, and 416 for a range outside the file. An uploaded file never
 * runs in a browser: it is sent as an attachment of exactly its type.
 */
export async function answerBytes(
  answer: ByteAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readable | undefined> {
  const { sizeBytes } = answer;
  const etag = `"${answer.sha256}"`;
  void reply.headers({ etag, 'cache-control': CACHE_CONTROL });
  const { 'if-match': ifMatch } = request.headers;
  if (ifMatch !== undefined && !namesStrongly(ifMatch, etag)) throw new ApiError(EdgeErrors.preconditionFailed);
  if (names(request.headers['if-none-match'], etag)) {
    void reply.code(304);
    return undefined;
  }
  // Weak tags and dates in `If-Range` never match a strong tag.
  const { 'if-range': ifRange = etag } = request.headers;
  const range = ifRange === etag ? rangeOf(request.headers.range, sizeBytes) : 'whole';
  if (range === 'unsatisfiable')
    throw new ApiError(EdgeErrors.rangeNotSatisfiable, { headers: { 'content-range': `bytes */${sizeBytes}` } });
  const part = range === 'whole' ? undefined : range;
  const stream = request.method === 'HEAD' ? undefined : await opened(answer, part);
  if (part) void reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${sizeBytes}`);
  void reply.headers({
    'accept-ranges': 'bytes',
    'content-type': MEDIA_TYPE.test(answer.mediaType) ? answer.mediaType : 'application/octet-stream',
    'content-length': part ? part.end - part.start + 1 : sizeBytes,
    'content-disposition': attachment(answer.fileName),
    'content-security-policy': "default-src 'none'; sandbox",
  });
  return stream;
}

/** Whether `If-None-Match` names the tag, as a weak or a strong one. */
export function names(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags?.some((tag) => tag === '*' || tag === etag) ?? false;
}

/** Whether `If-Match` names the tag; weak tags never match there. */
function namesStrongly(header: string, etag: string): boolean {
  return header.split(',').some((each) => ['*', etag].includes(each.trim()));
}

/**
 * Throws when the stored length differs from the recorded one: the client would wait for missing bytes or get only a
 * part.
 */
async function opened(answer: ByteAnswer, part: ByteRange | undefined): Promise<Readable> {
  const { sizeBytes, sha256 } = answer;
  const found = await answer.open(part);
  if (found?.sizeBytes === sizeBytes) return found.stream;
  found?.stream.destroy();
  const trouble = `The object store has ${found?.sizeBytes ?? 'no'} bytes of ${sha256}, but ${sizeBytes} are recorded.`;
  if (!answer.damaged) throw new Error(trouble);
  logger.error(trouble);
  throw answer.damaged();
}
