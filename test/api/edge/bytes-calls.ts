import { createHash } from 'node:crypto';
import { urlOf } from './bytes-probe.ts';

export const digestOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
export const OCTETS = { 'content-type': 'application/octet-stream' };

type Body = Buffer<ArrayBuffer> | ReadableStream;

export async function send(method: string, sha256: string, headers: Record<string, string> = {}, body?: Body) {
  const init: RequestInit = { method, headers, ...(body === undefined ? {} : { body, duplex: 'half' }) };
  const response = await fetch(urlOf(sha256), init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
  };
}
export const put = (sha256: string, body: Body, headers: Record<string, string> = OCTETS) =>
  send('PUT', sha256, headers, body);
