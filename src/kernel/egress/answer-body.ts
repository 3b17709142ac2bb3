import type { Dispatcher } from 'undici';
import { Refused } from './refused.ts';

/** Statuses whose answers have no body, whatever their headers announce. */
const BODILESS = new Set([204, 304]);

/** Reads the body of an answer; refuses one that is compressed or announces too much before a byte of it is read. */
export async function bodyOf(
  method: string,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<Buffer> {
  const coding = headers['content-encoding'] ?? 'identity';
  const transfer = headers['transfer-encoding'] ?? 'chunked';
  if (!isOnly(coding, 'identity') || !isOnly(transfer, 'chunked'))
    throw new Refused('encoded', `the answer is encoded as ${[coding, transfer].flat().join(', ').slice(0, 100)}`);
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > maxBytes && method !== 'HEAD' && !BODILESS.has(statusCode))
    throw new Refused('too_large', `the answer announces ${announced} bytes`);
  return Buffer.from(await body.arrayBuffer());
}

function isOnly(value: string | string[], wanted: string): boolean {
  return [value].flat().every((each) => ['', wanted].includes(each.trim().toLowerCase()));
}
