import { brotliCompress, constants, gzip } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { schemesOf } from '../endpoint/index.ts';

type Encoder = (body: Buffer, done: (error: Error | null, encoded: Buffer) => void) => void;

/**
 * At the least quality, on threads of the pool beside the event loop. (Measured for a list of 50 tasks of 30 KB: brotli
 * 0.1 ms to a fifth, gzip 0.2 ms to a fifth; with brotli's 5 it takes 0.7 ms to a sixth.)
 */
const ENCODERS: Readonly<Record<string, Encoder>> = {
  br: (body, done) => brotliCompress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }, done),
  gzip: (body, done) => gzip(body, { level: 1 }, done),
};
const negotiator = new Negotiator({ supportedValues: [...Object.keys(ENCODERS), 'identity'] });

/** Smaller answers go in few packets either way. */
const MIN_BYTES = 4_096;

/**
 * Compresses large answers for who asks for it: what owners read as JSON, and the document. Nothing else: not answers to
 * calls that change something, among which are those that show a secret; no bytes, which have ranges and digests; no
 * streams; and nothing of runtimes, whose answers hold tokens. So no secret is ever compressed beside what a caller chose.
 *
 * Does not use `@fastify/compress`, which decompresses requests too, sends each answer as a stream without its length,
 * and takes its rules from options of routes, which Nest does not pass on.
 */
export function compressAnswers(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (!isLargeJson(reply, payload) || !mayBeCompressed(request)) return done(null, payload);
    addVary(reply);
    const encoding = negotiator.negotiate(request.headers['accept-encoding'] as string) ?? 'identity';
    const encode = ENCODERS[encoding];
    if (!encode) return done(null, payload);
    encode(Buffer.from(payload as string | Buffer), (error, encoded) => {
      if (error) return done(error);
      void reply.removeHeader('content-length').header('content-encoding', encoding);
      done(null, encoded);
    });
  });
}

/** Whether it is a read of owners alone, or of the document, which is no endpoint. */
function mayBeCompressed({ method, routeOptions: { url, config } }: FastifyRequest): boolean {
  if (method !== 'GET') return false;
  const { endpoint } = config;
  if (!endpoint) return url !== undefined;
  const schemes = schemesOf(endpoint);
  return endpoint.returns !== undefined && schemes.length > 0 && schemes.every((scheme) => scheme === 'owner');
}

function isLargeJson(reply: FastifyReply, payload: unknown): boolean {
  const isLarge = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length >= MIN_BYTES : false;
  return isLarge && String(reply.getHeader('content-type')).startsWith('application/json');
}

/** Keeps caches from giving a compressed answer to who did not ask for one. */
function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  void reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}
