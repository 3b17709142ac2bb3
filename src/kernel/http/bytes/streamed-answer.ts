import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** What the handler of a `stream` route returns: bytes that are sent as they come. */
export interface StreamedAnswer {
  /** One of the route's. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Readable | Buffer;
}

/** Sets the headers, the type without a charset that nobody gave it, and returns what is sent. */
export function answerStream({ type, headers = {}, body }: StreamedAnswer, reply: FastifyReply): Readable | Buffer {
  void reply.headers({ 'cache-control': 'no-store', ...headers, 'content-type': type });
  return body;
}
