import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import type { ByteRange, OpenedBytes } from '../../storage/index.ts';
import { rangeOf } from './byte-range.ts';
import { attachment } from './content-disposition.ts';

/** What the handler of a `bytes` route returns, for GET and HEAD alike: what is known of a file, and how to open it. */
export interface ByteAnswer {
  readonly sizeBytes: number;
  /** Digest of the whole, hexadecimal; its strong ETag. */
  readonly sha256: string;
  readonly mediaType: string;
  /** The name under which it is offered to be kept. */
  readonly fileName: string;
  /** As `ObjectStore.open`; not called when no bytes are to be sent. */
  open(range?: ByteRange): Promise<OpenedBytes | undefined>;
}

/** One caller's, who asks again before each use: access may have gone since. */
const CACHE_CONTROL = 'private, no-cache';
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/**
 * Sets status and headers and gives what is to be streamed: all of it, one range (206), or nothing (304, and for HEAD).
 * Throws 412 where the caller wants what it knew, and 416 for a range that lies outside. What was uploaded never runs: it is an attachment of exactly its type.
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
  // Weak tags and dates never match a strong tag.
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

/** Whether `If-None-Match` names the tag, weakly or not. */
function names(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags?.some((tag) => tag === '*' || tag === etag) ?? false;
}

/** Whether `If-Match` names the tag; a weak one names nothing there. */
function namesStrongly(header: string, etag: string): boolean {
  return header.split(',').some((each) => ['*', etag].includes(each.trim()));
}

/** Bytes of another length than was recorded would leave the client waiting, or with a part of what it asked for. */
async function opened(answer: ByteAnswer, part: ByteRange | undefined): Promise<Readable> {
  const { sizeBytes, sha256 } = answer;
  const found = await answer.open(part);
  if (found?.sizeBytes === sizeBytes) return found.stream;
  found?.stream.destroy();
  throw new Error(
    `The object store has ${found?.sizeBytes ?? 'no'} bytes where ${sizeBytes} are recorded (${sha256}).`,
  );
}
