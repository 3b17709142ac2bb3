import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../errors/index.ts';
import { isForm, parseForm } from '../pages/index.ts';
import { parseStrictJson } from './strict-json.ts';

const JSON_TYPE = 'application/json';
const BYTES_TYPE = 'application/octet-stream';
const FORM_TYPE = 'application/x-www-form-urlencoded';
/** The forms of our pages hold a token and no more. */
const FORM_LIMIT_BYTES = 8 * 1024;
/** As a handler that takes it unpacks it. */
const GZIP = ['gzip', 'x-gzip'];

/**
 * Replaces Fastify's parsers: strict JSON of at most `limitBytes` unless the route sets another limit, bytes as a
 * stream where the route is `raw`, a form where it takes one, its own media type where it has one, and 415 for everything
 * else. The body of a GET or HEAD is never read.
 *
 * Checks the encoding here and not in a hook, so that a route with its own media type (and parser) can take compressed
 * bodies. The parsers are async because Fastify 5.12.5 does not catch what a synchronous one throws: the process would
 * end.
 */
export function registerBodyParsers(fastify: FastifyInstance, limitBytes: number): void {
  fastify.addHook('onRoute', (route) => {
    const { endpoint } = route.config ?? {};
    if (endpoint?.bodyLimitBytes !== undefined && !endpoint.raw) route.bodyLimit = endpoint.bodyLimitBytes;
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    JSON_TYPE,
    { parseAs: 'buffer', bodyLimit: limitBytes },
    async (request: FastifyRequest, body: Buffer) => {
      if (!takesJson(request) || !isJson(request.headers['content-type'])) throw unsupported(request);
      refuseEncoding(request);
      const { mendsText = false } = request.routeOptions.config.endpoint ?? {};
      // Checked before decoding, which would replace invalid UTF-8 such as a text that was cut within a character.
      if (!mendsText && !isUtf8(body))
        throw invalid('', EdgeIssues.malformedJson, 'The body is not UTF-8; encode it as UTF-8.');
      return parseStrictJson(body.toString('utf8'), { mendsText });
    },
  );
  fastify.addContentTypeParser(BYTES_TYPE, async (request: FastifyRequest, stream: IncomingMessage) => {
    if (!isRaw(request)) throw unsupported(request);
    refuseEncoding(request);
    return stream;
  });
  fastify.addContentTypeParser(
    FORM_TYPE,
    { parseAs: 'buffer', bodyLimit: FORM_LIMIT_BYTES },
    async (request: FastifyRequest, body: Buffer) => {
      if (!takesForm(request) || !isForm(request.headers['content-type'])) throw unsupported(request);
      refuseEncoding(request);
      if (!isUtf8(body)) throw invalid('', EdgeIssues.malformedQuery);
      return parseForm(body.toString('utf8'));
    },
  );
  fastify.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    if (!isOfMedia(request)) throw unsupported(request);
    refuseEncoding(request, GZIP);
    return stream;
  });
}

/**
 * Whether the type is `application/json`, alone or with `charset=utf-8`; other parameters would be ignored, so they are
 * refused.
 */
export function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json[ \t]*(;[ \t]*charset=("?)utf-8\2[ \t]*)?$/i.test(contentType);
}

function takesJson({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.endpoint?.raw !== true && config.endpoint?.form !== true;
}

function isRaw(request: FastifyRequest): boolean {
  const { endpoint } = request.routeOptions.config;
  return endpoint?.raw === true && endpoint.media === undefined;
}

/** Whether the body is of the route's own media type; parameters would be ignored, so they are refused. */
function isOfMedia(request: FastifyRequest): boolean {
  const { media } = request.routeOptions.config.endpoint ?? {};
  return media !== undefined && request.headers['content-type']?.trim().toLowerCase() === media;
}

function takesForm(request: FastifyRequest): boolean {
  return request.routeOptions.config.endpoint?.form === true;
}

function refuseEncoding(request: FastifyRequest, others: readonly string[] = []): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (['identity', ...others].includes(encoding.toLowerCase())) return;
  throw new ApiError(EdgeErrors.unsupportedMediaType, { message: 'Send the body uncompressed.' });
}

function unsupported(request: FastifyRequest): ApiError {
  const { media } = request.routeOptions.config.endpoint ?? {};
  const wanted = media ?? (isRaw(request) ? BYTES_TYPE : takesForm(request) ? FORM_TYPE : JSON_TYPE);
  return new ApiError(EdgeErrors.unsupportedMediaType, { message: `Send the body as ${wanted}.` });
}
