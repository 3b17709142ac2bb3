import type { EndpointSpec } from '../endpoint/index.ts';

const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

const header = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

const ETAG = header(
  'Strong: the SHA-256 of the whole',
  '"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"',
);
const HEADERS = {
  ETag: ETAG,
  'Accept-Ranges': header('Single ranges are served', 'bytes'),
  'Content-Disposition': header('Always an attachment, with its name', `attachment; filename="report.pdf"`),
};

/** The body of a `raw` route. */
export const rawBody = { required: true, content: BYTES };

/** The success responses of a `bytes` route. The media type is the file's own; HEAD has the headers only. */
export function byteResponses(spec: EndpointSpec, method: string): Record<string, object> {
  const content = method === 'head' ? {} : { content: BYTES };
  return {
    [spec.status ?? 200]: { description: spec.message ?? 'The whole', headers: HEADERS, ...content },
    206: {
      description: 'The range that was asked for',
      headers: { ...HEADERS, 'Content-Range': header('Which bytes of how many', 'bytes 0-1023/146515') },
      ...content,
    },
    304: { description: 'What the caller has is what there is', headers: { ETag: ETAG } },
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

/** The request headers that a `bytes` route looks at. */
export const byteParameters = [
  parameter('Range', 'One range of bytes; several are answered with the whole.', 'bytes=0-1023'),
  parameter('If-Range', 'An ETag; the range is served only while it is still that one.', ETAG.example),
  parameter('If-Match', 'ETags of which the file must still have one, else 412.', ETAG.example),
  parameter('If-None-Match', 'ETags that the caller has; 304 when it is one of them.', ETAG.example),
];
