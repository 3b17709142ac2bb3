import { PICTURE_TYPES } from '../bytes/index.ts';
import type { EndpointSpec } from '../endpoint/index.ts';

const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

const header = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

const ETAG = header(
  'Strong ETag: the SHA-256 of the whole file',
  '"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"',
);
const HEADERS = {
  ETag: ETAG,
  'Accept-Ranges': header('Single ranges are served', 'bytes'),
  'Content-Disposition': header('Always an attachment, with the file name', `attachment; filename="report.pdf"`),
};

const OF_BYTES = BYTES['application/octet-stream'];

/** The body of a `raw` route. */
export function rawBody({ media = 'application/octet-stream' }: EndpointSpec): object {
  return { required: true, content: { [media]: OF_BYTES } };
}

/** The success response of a `stream` route. */
export function streamResponses({ status, stream }: Extract<EndpointSpec, { stream: object }>): Record<string, object> {
  const content = Object.fromEntries(stream.types.map((type) => [type, OF_BYTES]));
  return { [status ?? 200]: { description: stream.message, content } };
}

/** The success responses of a `bytes` route. The media type is the file's own; HEAD has only headers. */
export function byteResponses(spec: EndpointSpec, method: string): Record<string, object> {
  const content = method === 'head' ? {} : { content: BYTES };
  return {
    [spec.status ?? 200]: { description: spec.message ?? 'The whole file', headers: HEADERS, ...content },
    206: {
      description: 'The range that was asked for',
      headers: {
        ...HEADERS,
        'Content-Range': header('The range that is sent, and the size of the file', 'bytes 0-1023/146515'),
      },
      ...content,
    },
    304: { description: 'The caller’s copy is current', headers: { ETag: ETAG } },
  };
}

/** The success responses of a `picture` route. */
export function pictureResponses(
  { message, none }: NonNullable<EndpointSpec['picture']>,
  method: string,
): Record<string, object> {
  const cached = { 'Cache-Control': header('How long the caller’s own cache may keep it', 'private, max-age=3600') };
  const { schema } = OF_BYTES;
  const content = Object.fromEntries(PICTURE_TYPES.map((type) => [type, { schema }]));
  return {
    200: {
      description: message,
      headers: { ETag: ETAG, ...cached, 'Content-Disposition': header('Shown in place', 'inline') },
      ...(method === 'head' ? {} : { content }),
    },
    204: { description: none, headers: cached },
    304: { description: 'The caller’s copy is current', headers: { ETag: ETAG, ...cached } },
  };
}

const parameter = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
  example,
});

/** The request header that a `picture` route reads. */
const IF_NONE_MATCH = parameter(
  'If-None-Match',
  'ETags of the caller’s copies; 304 if the file has one of them.',
  ETAG.example,
);
export const pictureParameters = [IF_NONE_MATCH];

/** The request headers that a `bytes` route reads. */
export const byteParameters = [
  parameter('Range', 'One range of bytes; several ranges are answered with the whole file.', 'bytes=0-1023'),
  parameter(
    'If-Range',
    'An ETag; the range is sent only while the file still has it, otherwise the whole file.',
    ETAG.example,
  ),
  parameter('If-Match', 'ETags; 412 unless the file has one of them.', ETAG.example),
  IF_NONE_MATCH,
];
