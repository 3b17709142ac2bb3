/**
 * An S3-compatible store in memory: `node s3-peer-child.ts <access key>`. Says `{url}` in one line when it is there, and dies with the
 * test that started it. It is fauxqs, with what that lacks: it asks for the access key, lists uploads of parts, and says
 * how many bytes of bodies it has taken.
 */
import { createInterface } from 'node:readline';
import { buildApp } from 'fauxqs';

interface Upload {
  /** With the bucket before it. */
  readonly path: string;
  readonly id: string;
  readonly initiated: string;
}

const peer = buildApp({ logger: false });
const uploads = new Map<string, Upload>();
let takenBytes = 0;

peer.addHook('onRequest', async (request, reply) => {
  const { pathname, searchParams } = new URL(request.url, 'http://peer');
  if (pathname === '/-/taken') return reply.send({ takenBytes });
  const [, accessKey] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
  if (accessKey !== process.argv[2])
    return reply.code(403).type('application/xml').send('<Error><Code>InvalidAccessKeyId</Code></Error>');
  if (request.method === 'GET' && searchParams.has('uploads'))
    return reply.type('application/xml').send(listed(pathname.split('/')[1]!, searchParams.get('prefix') ?? ''));
});

peer.addHook('preHandler', async ({ body }) => {
  if (Buffer.isBuffer(body)) takenBytes += body.length;
});

peer.addHook('onSend', async (request, reply, payload) => {
  const { pathname, searchParams } = new URL(request.url, 'http://peer');
  if (reply.statusCode >= 300) return payload;
  if (request.method === 'POST' && searchParams.has('uploads')) {
    const id = /<UploadId>(.+?)<\/UploadId>/.exec(String(payload))![1]!;
    uploads.set(id, { id, path: pathname.slice(1), initiated: new Date().toISOString() });
  }
  if (request.method !== 'PUT') uploads.delete(searchParams.get('uploadId') ?? '');
  return payload;
});

function listed(bucket: string, prefix: string): string {
  const found = [...uploads.values()].filter(({ path }) => path.startsWith(`${bucket}/${prefix}`));
  const entries = found.map(({ path, id, initiated }) => {
    const key = path.slice(bucket.length + 1);
    return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`;
  });
  return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListMultipartUploadsResult>`;
}

createInterface(process.stdin).on('close', () => process.exit(0));
console.log(JSON.stringify({ url: await peer.listen({ host: '127.0.0.1', port: 0 }) }));
